/** Is every decision in the audit file, once and whole, through rotation and a full disk; and what does writing it cost? */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, processorTime, startProcess, type ServerProcess } from "./http-load.ts";

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
const base = { "storage.disk.directory": policies };
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

function compare(what: string, found: readonly string[], wanted: ReadonlySet<string>): void {
  const once = new Set(found);
  const missing = [...wanted].filter((id) => !once.has(id)).length;
  const strange = found.filter((id) => !wanted.has(id)).length;
  const verdict = missing === 0 && strange === 0 && once.size === found.length ? "exactly one each" : "WRONG";
  console.log(
    `  ${what}: ${wanted.size} calls, ${found.length} lines, ${found.length - once.size} twice, ${missing} missing, ${strange} of nobody: ${verdict}`,
  );
  if (verdict === "WRONG") process.exitCode = 1;
}

async function rotation(requests: number): Promise<void> {
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
  const lines = readLines(logs);
  console.log(
    `rotation every 5 MB: ${requests} requests in ${seconds.toFixed(1)} s, ${(lines.bytes / 1e6).toFixed(0)} MB in ${lines.files} files`,
  );
  compare("decision", lines.ids["decision"] ?? [], ids);
  compare("access", lines.ids["access"] ?? [], ids);
}

/** The limit on the size of a file stands for the end of the disk: the system writes what fits and refuses the rest. */
async function fullDisk(): Promise<void> {
  const logs = join(folder, "full");
  mkdirSync(logs);
  const file = join(logs, "audit.log");
  const server = await startProcess({ ...base, "audit.enabled": true, "audit.file.path": file }, ["prlimit", "--fsize=1000000:unlimited"]);
  const ids = new Set<string>();
  const errors = async (): Promise<string> => {
    const metrics = await (await fetch(`http://127.0.0.1:${server.port}/_authz/metrics`)).text();
    return metrics
      .split("\n")
      .filter((line) => line.startsWith("authz_dev_audit_error_count"))
      .join(" ");
  };
  await ask(server.port, requestFor(1), 5000, 16, (body) => ids.add(callIdOf(body)));
  await new Promise((resolve) => setTimeout(resolve, 500));
  console.log(
    `full disk: ${ids.size} of 5000 requests answered, the file has ${statSync(file).size} bytes and ${readFileSync(file, "utf8").endsWith("\n") ? "ends with a line" : "ENDS WITHIN A LINE"}`,
  );
  console.log(`  errors counted: ${await errors()}`);
  execFileSync("prlimit", ["--pid", String(server.pid), "--fsize=unlimited:unlimited"]);
  await ask(server.port, requestFor(1), 5000, 16, (body) => ids.add(callIdOf(body)));
  await new Promise((resolve) => setTimeout(resolve, 3000));
  console.log(`  with room again: ${statSync(file).size} bytes`);
  await server.stop();
  for (const line of server.logged().split("\n")) if (line.includes("authz.audit")) console.log(`  ${line}`);
  compare("decision", readLines(logs).ids["decision"] ?? [], ids);
}

async function cost(rounds: number, perRound: number): Promise<void> {
  const auditing = (name: string, more: Readonly<Record<string, boolean>>): Readonly<Record<string, string | boolean>> => ({
    ...base,
    "audit.enabled": true,
    "audit.file.path": join(folder, `${name}.log`),
    ...more,
  });
  const modes: readonly (readonly [string, ServerProcess])[] = [
    ["off", await startProcess(base)],
    ["access", await startProcess(auditing("access", { "audit.decisionLogsEnabled": false }))],
    ["decisions", await startProcess(auditing("decisions", { "audit.accessLogsEnabled": false }))],
    ["all", await startProcess(auditing("all", {}))],
    ["local", await startProcess({ ...auditing("local", {}), "audit.backend": "local", "audit.local.storagePath": join(folder, "local") })],
  ];
  for (const resources of [1, 4]) {
    const body = requestFor(resources);
    const times = new Map(modes.map(([name]) => [name, [] as number[]]));
    for (const [, server] of modes) await ask(server.port, body, perRound, 8, () => undefined);
    for (let round = 0; round < rounds; round++) {
      for (const [name, server] of [...modes.slice(round % modes.length), ...modes.slice(0, round % modes.length)]) {
        const before = processorTime(server.pid);
        await ask(server.port, body, perRound, 8, () => undefined);
        times.get(name)?.push(((processorTime(server.pid) - before) * 1000) / perRound);
      }
    }
    const median = (name: string): number => times.get(name)?.toSorted((a, b) => a - b)[rounds >> 1] ?? Number.NaN;
    console.log(`processor time a request of ${resources} resource${resources === 1 ? "" : "s"}, ${Buffer.byteLength(body)} bytes:`);
    for (const [name] of modes) {
      const all = times.get(name) ?? [];
      console.log(
        `  ${name.padEnd(10)}${median(name).toFixed(1).padStart(7)} us (${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)})  ${(median(name) / median("off")).toFixed(2)} x`,
      );
    }
  }
  for (const [, server] of modes) await server.stop();
}

const [requests = "200000", rounds = "7", perRound = "5000"] = process.argv.slice(2);
try {
  await cost(Number(rounds), Number(perRound));
  await fullDisk();
  await rotation(Number(requests));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
