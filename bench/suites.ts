/** How long do 10,000 test actions take, with the start of the program and the compilation of the policies, beside the reference? */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { compile } from "../compiler/index.ts";
import { isPolicyPath } from "../compiler/policy/paths.ts";
import { invariant } from "../runtime/cel/error.ts";
import type { Principal, Resource } from "../runtime/decide/input.ts";
import { evaluateInThisRealm, load } from "../runtime/load.ts";
import { digest } from "../src/texts/digest.ts";
import { report, short, table } from "./tell/report.ts";

/** Copies of the classic workload's nine policies, each with a suite of 100 test actions. */
const copies = Number(process.env["AUTHZ_BENCH_COPIES"] ?? 100);
const rounds = 5;
const goals = { seconds: 2, timesSlower: 3 } as const;
const actions = ["view:public", "approve", "delete", "create", "edit"] as const;

interface Asked {
  readonly principal: Principal;
  readonly resources: readonly { readonly resource: Resource }[];
}

/** What one run took, in milliseconds. */
interface Cost {
  readonly wall: number;
  /** Processor time, user and system. */
  readonly cpu: number;
}

/** Writes the policies of a brand, and returns the folder. */
function workload(brand: string): string {
  const kit = resolve(process.env["AUTHZ_BENCH_KIT"] ?? "../shared/bench");
  if (!existsSync(join(kit, "gen.mjs"))) {
    console.error(`bench suites: no workloads at ${kit} (there is no gen.mjs); set AUTHZ_BENCH_KIT to the folder of the benchmark kit`);
    process.exit(2);
  }
  const folder = mkdtempSync(join(tmpdir(), "authz-bench-"));
  execFileSync(process.execPath, [realpathSync(join(kit, "gen.mjs")), "classic", String(copies), folder, `--brand=${brand}`], {
    stdio: "ignore",
  });
  return folder;
}

/** Returns the suites by their file names, with what our own policies answer as what is expected. */
function suitesOf(folder: string): ReadonlyMap<string, string> {
  const policies = join(folder, "policies");
  const sources = readdirSync(policies)
    .filter(isPolicyPath)
    .map((path) => ({ path, text: readFileSync(join(policies, path), "utf8") }));
  const { compiled, diagnostics } = compile(sources, { digest });
  invariant(compiled !== undefined, `the workload compiles: ${diagnostics[0]?.message}`);
  const evaluator = load(compiled.bundle, evaluateInThisRealm);
  const options = {
    now: 0,
    globals: {},
    defaultPolicyVersion: "default",
    defaultScope: "",
    lenientScopeSearch: false,
    strictEvaluation: false,
    evaluationErrors: false,
    effectivePolicies: false,
  };
  const lines = readFileSync(join(folder, "requests.ndjson"), "utf8").trim().split("\n");
  return new Map(
    Array.from({ length: copies }, (_, copy) => {
      const asked: readonly Asked[] = lines.slice(copy * 2, copy * 2 + 2).map((line) => JSON.parse(line));
      const principals = asked.map(({ principal }, index) => [`principal${index}`, principal] as const);
      const found = asked.flatMap(({ resources }) => resources.map(({ resource }) => resource));
      const resources = [...found, ...found.slice(0, 1)].map((resource, index) => [`resource${index}`, resource] as const);
      const expected = principals.flatMap(([principalName, principal]) =>
        resources.flatMap(([resourceName, resource]) => {
          const [decision] = evaluator.check([{ principal, resource, actions }], options);
          const effects = actions.map(
            (action) => `        ${JSON.stringify(action)}: ${decision?.actions.get(action)?.effect ?? "EFFECT_DENY"}\n`,
          );
          return `    - principal: ${principalName}\n      resource: ${resourceName}\n      actions:\n${effects.join("")}`;
        }),
      );
      const text = `name: copy ${copy}
principals:
${principals.map(([name, principal]) => block(name, principal, "  ")).join("")}resources:
${resources.map(([name, resource]) => block(name, resource, "  ")).join("")}tests:
  - name: everything
    input:
${block(
  "principals",
  principals.map(([name]) => name),
  "      ",
)}${block(
        "resources",
        resources.map(([name]) => name),
        "      ",
      )}${block("actions", actions, "      ")}    expected:
${expected.join("")}`;
      return [`copy${String(copy).padStart(5, "0")}_test.yaml`, text] as const;
    }),
  );
}

/** Block YAML, as people write it. */
function block(name: string, value: unknown, indent: string): string {
  if (Array.isArray(value)) return `${indent}${name}:\n${value.map((item) => `${indent}  - ${JSON.stringify(item)}\n`).join("")}`;
  if (typeof value !== "object" || value === null) return `${indent}${name}: ${JSON.stringify(value)}\n`;
  const members = Object.entries(value).map(([key, each]) => block(key, each, `${indent}  `));
  return `${indent}${name}:\n${members.join("")}`;
}

interface Contestant {
  readonly name: string;
  readonly command: readonly string[];
}

/** Runs a command to its end; throws when it does not pass every test. */
function run({ name, command }: Contestant, output: readonly string[] = []): Cost & { readonly out: string } {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync("sh", ["-c", '"$@"; code=$?; times >&2; exit $code', "sh", ...command, ...output], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  const wall = performance.now() - began;
  if (status !== 0) throw new Error(`${name} failed (${status}):\n${stderr}${stdout.slice(0, 2000)}`);
  // `times` says the shell's own on its first line, and on its second what it has waited for.
  const spent = [...(stderr.trim().split("\n").at(-1) ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
  return {
    wall,
    cpu: spent.reduce((total, [, minutes, seconds]) => total + (Number(minutes) * 60 + Number(seconds)) * 1000, 0),
    out: stdout,
  };
}

const median = (values: readonly number[]): number => values.toSorted((left, right) => left - right)[values.length >> 1] ?? Number.NaN;

const ours = workload("authz");
const theirs = workload("cerbos");
for (const [file, text] of suitesOf(ours)) for (const folder of [ours, theirs]) writeFileSync(join(folder, "policies", file), text);
const peer = process.env["AUTHZ_PEER"];
const contestants: readonly Contestant[] = [
  {
    name: "authz",
    command: [process.execPath, resolve(process.env["AUTHZ_BENCH_PROGRAM"] ?? "dist/main.js"), "compile", join(ours, "policies")],
  },
  ...(peer === undefined ? [] : [{ name: "reference", command: [peer, "compile", join(theirs, "policies")] }]),
];
try {
  for (const each of contestants) {
    const { summary } = JSON.parse(run(each, ["--output=json"]).out);
    const passed = summary?.resultCounts?.find(({ result }: { readonly result: string }) => result === "RESULT_PASSED")?.count;
    invariant(passed === copies * 100, `${each.name} runs ${copies * 100} test actions, and all pass: ${JSON.stringify(summary)}`);
  }
  const costs = contestants.map((): Cost[] => []);
  // In turn, so that a neighbour's noise is everybody's.
  for (let round = 0; round < rounds; round++) for (const [index, each] of contestants.entries()) costs[index]?.push(run(each));
  const rows = contestants.map(({ name }, index) => ({
    name,
    wall: median((costs[index] ?? []).map(({ wall }) => wall)),
    cpu: median((costs[index] ?? []).map(({ cpu }) => cpu)),
  }));
  const [mine, other] = rows;
  invariant(mine !== undefined, "we are the first");
  report({
    bench: "suites",
    figures: { actions: copies * 100, rows },
    text: [
      `${copies * 100} test actions of ${copies} suites over ${copies * 9} policies, a new process each time, median of ${rounds}; ms`,
      table(
        ["", "elapsed", "processor time"],
        rows.map(({ name, wall, cpu }) => [name, short(wall), short(cpu)]),
      ),
      other === undefined
        ? "no reference beside it: set AUTHZ_PEER to its program"
        : `the reference's processor time: ${short(other.cpu / mine.cpu)} times`,
    ].join("\n"),
    goals: [
      { name: "elapsed, s", found: mine.wall / 1000, most: goals.seconds },
      {
        name: "the reference's time, times ours",
        found: other === undefined ? undefined : other.wall / mine.wall,
        least: goals.timesSlower,
      },
    ],
  });
} finally {
  for (const folder of [ours, theirs]) rmSync(folder, { recursive: true });
}
