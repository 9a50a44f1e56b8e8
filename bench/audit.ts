/** Is every decision in the audit file, once and whole, through rotation and a full disk; and what does writing it cost? */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, processorTime, startProcess, type ServerProcess } from "./http-load.ts";
import { isQuick, numberOf } from "./tell/flags.ts";
import { type Goal, median, report, table } from "./tell/report.ts";

const requests = numberOf("requests", isQuick ? 300 : 200_000);
const rounds = numberOf("rounds", isQuick ? 1 : 7);
/** Requests of a round. */
const batch = numberOf("batch", isQuick ? 50 : 5000);
/** Requests to a full disk, as many again once there is room, and bytes that it takes. */
const [toFullDisk, room] = isQuick ? [200, 100_000] : [5000, 1_000_000];
const workers = numberOf("workers", 1);

const policy = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: expense
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
    - actions: [approve, delete]
      effect: EFFECT_ALLOW
      roles: [manager]
      condition:
        match:
          expr: R.attr.amount < 1000 && R.attr.owner != P.id
`;

/** A request about so many resources. */
const requestFor = (resources: number): string =>
  JSON.stringify({
    requestId: "bench",
    principal: { id: "ann", roles: ["user", "manager"], attr: { department: "finance", geography: "GB", team: "payroll", level: 3 } },
    resources: Array.from({ length: resources }, (_, index) => ({
      actions: ["view", "approve", "delete"],
      resource: {
        kind: "expense",
        id: `e${index}`,
        attr: { amount: 500 + index, owner: "bob", region: "EMEA", status: "OPEN", vendor: "Flux Water" },
      },
    })),
  });

const folder = mkdtempSync(join(tmpdir(), "authz-audit-"));
const policies = join(folder, "policies");
mkdirSync(policies);
writeFileSync(join(policies, "expense.yaml"), policy);
const base = { "storage.disk.directory": policies, "server.workers": workers };
const callIdOf = (body: string): string => body.slice(body.lastIndexOf(':"') + 2, -2);

interface Line {
  readonly "log.kind": string;
  readonly callId: string;
}

/** Reads every segment of a folder: every line must be whole. */
function readLines(of: string): {
  readonly files: number;
  readonly bytes: number;
  readonly ids: { readonly [kind: string]: readonly string[] };
} {
  const ids: { [kind: string]: string[] } = { access: [], decision: [] };
  const names = readdirSync(of);
  let bytes = 0;
  for (const name of names) {
    const text = readFileSync(join(of, name), "utf8");
    bytes += Buffer.byteLength(text);
    if (!text.endsWith("\n")) throw new Error(`${name} ends within a line`);
    for (const line of text.slice(0, -1).split("\n")) {
      const { "log.kind": kind, callId }: Line = JSON.parse(line);
      ids[kind]?.push(callId);
    }
  }
  return { files: names.length, bytes, ids };
}

/** A part of the answer. */
interface Part {
  readonly lines: readonly string[];
  readonly figures: object;
  readonly goals: readonly Goal[];
}

/** How the lines of a kind fit the calls that were answered. */
function fit(what: string, found: readonly string[] = [], wanted: ReadonlySet<string>): Part {
  const once = new Set(found);
  const missing = [...wanted].filter((id) => !once.has(id)).length;
  const strange = found.filter((id) => !wanted.has(id)).length;
  const twice = found.length - once.size;
  const wrong = missing + strange + twice;
  return {
    lines: [
      `  ${what}: ${wanted.size} calls, ${found.length} lines, ${twice} twice, ${missing} missing, ${strange} of nobody: ${wrong === 0 ? "exactly one each" : "WRONG"}`,
    ],
    figures: { calls: wanted.size, lines: found.length, twice, missing, strange },
    goals: [{ name: `${what}: calls without exactly one line`, found: wrong, most: 0 }],
  };
}

async function rotation(): Promise<Part> {
  const logs = join(folder, "rotation");
  mkdirSync(logs);
  const server = await startProcess({
    ...base,
    "audit.enabled": true,
    "audit.file.path": join(logs, "audit.log"),
    "audit.file.logRotation.maxFileSizeMB": 5,
  });
  const ids = new Set<string>();
  const began = performance.now();
  await ask(server.port, requestFor(1), requests, 16, (body) => ids.add(callIdOf(body)));
  const seconds = (performance.now() - began) / 1000;
  await server.stop();
  const { bytes, files, ids: found } = readLines(logs);
  const fits = [fit("rotation, decisions", found["decision"], ids), fit("rotation, calls", found["access"], ids)];
  return {
    lines: [
      `rotation every 5 MB: ${requests} requests in ${seconds.toFixed(1)} s, ${(bytes / 1e6).toFixed(0)} MB in ${files} files`,
      ...fits.flatMap(({ lines }) => lines),
    ],
    figures: { requests, seconds, bytes, files, fits: fits.map(({ figures }) => figures) },
    goals: fits.flatMap(({ goals }) => goals),
  };
}

/** The limit on the size of a file stands for the end of the disk: the system writes what fits and refuses the rest. */
async function fullDisk(): Promise<Part> {
  const logs = join(folder, "full");
  mkdirSync(logs);
  const file = join(logs, "audit.log");
  const server = await startProcess({ ...base, "audit.enabled": true, "audit.file.path": file }, ["prlimit", `--fsize=${room}:unlimited`]);
  const ids = new Set<string>();
  const errors = async (): Promise<string> => {
    const metrics = await (await fetch(`http://127.0.0.1:${server.port}/_authz/metrics`)).text();
    return metrics
      .split("\n")
      .filter((line) => line.startsWith("authz_dev_audit_error_count"))
      .join(" ");
  };
  await ask(server.port, requestFor(1), toFullDisk, 16, (body) => ids.add(callIdOf(body)));
  await new Promise((resolve) => setTimeout(resolve, 500));
  const [answered, size, isWhole, counted] = [ids.size, statSync(file).size, readFileSync(file, "utf8").endsWith("\n"), await errors()];
  execFileSync("prlimit", ["--pid", String(server.pid), "--fsize=unlimited:unlimited"]);
  await ask(server.port, requestFor(1), toFullDisk, 16, (body) => ids.add(callIdOf(body)));
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const after = statSync(file).size;
  await server.stop();
  const decisions = fit("full disk, decisions", readLines(logs).ids["decision"], ids);
  const told = server.logged().split("\n");
  return {
    lines: [
      `full disk: ${answered} of ${toFullDisk} requests answered, the file has ${size} bytes and ${isWhole ? "ends with a line" : "ENDS WITHIN A LINE"}`,
      `  errors counted: ${counted}`,
      `  with room again: ${after} bytes`,
      ...told.filter((line) => line.includes("authz.audit")).map((line) => `  ${line}`),
      ...decisions.lines,
    ],
    figures: { answered, size, isWhole, counted, after, fits: decisions.figures },
    goals: [
      { name: "full disk: requests that were not answered", found: toFullDisk - answered, most: 0 },
      { name: "full disk: half lines", found: isWhole ? 0 : 1, most: 0 },
      ...decisions.goals,
    ],
  };
}

async function cost(): Promise<Part> {
  const auditing = (name: string, more: Readonly<Record<string, boolean>>): Readonly<Record<string, string | number | boolean>> => ({
    ...base,
    "server.workers": 1, // the processor time of one process is read
    "audit.enabled": true,
    "audit.file.path": join(folder, `${name}.log`),
    ...more,
  });
  const modes: readonly (readonly [string, ServerProcess])[] = [
    ["off", await startProcess({ ...base, "server.workers": 1 })],
    ["access", await startProcess(auditing("access", { "audit.decisionLogsEnabled": false }))],
    ["decisions", await startProcess(auditing("decisions", { "audit.accessLogsEnabled": false }))],
    ["all", await startProcess(auditing("all", {}))],
    ["local", await startProcess({ ...auditing("local", {}), "audit.backend": "local", "audit.local.storagePath": join(folder, "local") })],
  ];
  const parts = [];
  for (const resources of [1, 4]) {
    const body = requestFor(resources);
    const times = new Map(modes.map(([name]) => [name, [] as number[]]));
    for (const [, server] of modes) await ask(server.port, body, batch, 8, () => undefined);
    for (let round = 0; round < rounds; round++) {
      for (const [name, server] of [...modes.slice(round % modes.length), ...modes.slice(0, round % modes.length)]) {
        const before = processorTime(server.pid);
        await ask(server.port, body, batch, 8, () => undefined);
        times.get(name)?.push(((processorTime(server.pid) - before) * 1000) / batch);
      }
    }
    const off = median(times.get("off") ?? []);
    const rows = [...times].map(([name, all]) => ({ name, us: median(all), least: Math.min(...all), most: Math.max(...all) }));
    const cells = rows.map(({ name, us, least, most }) => [
      name,
      us.toFixed(1),
      least.toFixed(1),
      most.toFixed(1),
      `${(us / off).toFixed(2)} x`,
    ]);
    parts.push({
      figures: { resources, bytes: Buffer.byteLength(body), rows },
      text: table(
        [
          `us a request of ${resources} resource${resources === 1 ? "" : "s"}, ${Buffer.byteLength(body)} bytes`,
          "median",
          "least",
          "most",
          "",
        ],
        cells,
      ),
    });
  }
  for (const [, server] of modes) await server.stop();
  return { lines: parts.map(({ text }) => `${text}\n`), figures: parts.map(({ figures }) => figures), goals: [] };
}

try {
  const parts = { cost: await cost(), fullDisk: await fullDisk(), rotation: await rotation() };
  report({
    bench: "audit",
    text: Object.values(parts)
      .flatMap(({ lines }) => lines)
      .join("\n"),
    figures: Object.fromEntries(Object.entries(parts).map(([name, { figures }]) => [name, figures])),
    goals: Object.values(parts).flatMap(({ goals }) => goals),
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
