/** What does it cost to compile thousands of policies from YAML and load them, and to put one changed file in force? */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { compile } from "../compiler/index.ts";
import { openCompileMemory } from "../compiler/memory.ts";
import { isPolicyPath } from "../compiler/policy/paths.ts";
import type { Source } from "../compiler/source.ts";
import { invariant } from "../runtime/cel/error.ts";
import { bundleChange } from "../src/bundle-change.ts";
import { refusalOf } from "../runtime/sandbox/gate/index.ts";
import { openRealm } from "../runtime/sandbox/realm.ts";
import { realmTexts } from "../src/artefact.ts";
import { digest } from "../src/digest.ts";
import { processMilliseconds, threadMilliseconds } from "./clock.ts";

/** Copies of the classic workload's nine policies, and what the issue allows: milliseconds of processor time. */
const copies = Number(process.env["AUTHZ_BENCH_COPIES"] ?? 1000);
const goals = { wholeSet: 4000, oneChange: 25, gate: 10 } as const;
const changes = 15;

/** Milliseconds of processor time, all threads together unless it says otherwise. */
interface Costs {
  readonly policies: number;
  readonly read: number;
  readonly compile: number;
  readonly load: number;
  /** The gate over 10,000 lines of programs, at first and when it is warm. */
  readonly gate: { readonly first: number; readonly warm: number };
  readonly change: {
    readonly first: number;
    readonly median: number;
    readonly worst: number;
    /** Of the thread that compiles and of the one that answers, at the median. */
    readonly compile: number;
    readonly load: number;
  };
  /** Megabytes. */
  readonly memory: number;
}

function readSources(folder: string): readonly Source[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(isPolicyPath)
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
}

function measure(folder: string): Costs {
  const started = processMilliseconds();
  const sources = readSources(folder);
  const read = processMilliseconds();
  const memory = openCompileMemory();
  let compilation = compile(sources, { digest, memory });
  invariant(compilation.compiled !== undefined, `the workload compiles: ${compilation.diagnostics[0]?.message}`);
  const compiled = processMilliseconds();
  const realm = openRealm(realmTexts());
  realm.load(JSON.stringify(compilation.compiled.bundle));
  const loaded = processMilliseconds();
  const gate = measureGate(Object.values(compilation.compiled.bundle.shapes));

  const all: { readonly whole: number; readonly compile: number; readonly load: number }[] = [];
  const current = [...sources];
  for (let change = 0; change < changes; change++) {
    const at = sources.findIndex(
      ({ path, text }, index) => index >= change * 97 && path.startsWith("resource_") && text.includes("EFFECT_"),
    );
    const before = current[at];
    invariant(before !== undefined, "the workload has resource policies");
    current[at] = { ...before, text: edited(before.text, change) };
    const begin = processMilliseconds();
    const beginThread = threadMilliseconds();
    const next = compile(current, { digest, memory });
    invariant(next.compiled !== undefined && compilation.compiled !== undefined, "the changed policies compile");
    const text = JSON.stringify(bundleChange(compilation.compiled.bundle, next.compiled.bundle));
    const middleThread = threadMilliseconds();
    realm.change(text);
    all.push({ whole: processMilliseconds() - begin, compile: middleThread - beginThread, load: threadMilliseconds() - middleThread });
    compilation = next;
  }
  const ordered = all.toSorted((a, b) => a.whole - b.whole);
  const median = ordered[ordered.length >> 1];
  invariant(median !== undefined, "something was changed");
  return {
    policies: sources.length,
    read: read - started,
    compile: compiled - read,
    load: loaded - compiled,
    gate,
    change: {
      first: all[0]?.whole ?? 0,
      median: median.whole,
      worst: ordered.at(-1)?.whole ?? 0,
      compile: median.compile,
      load: median.load,
    },
    memory: process.memoryUsage.rss() / 2 ** 20,
  };
}

/** What the gate costs in this process, which has not read a program yet: the same ones again and again, as if they were others. */
function measureGate(programs: readonly string[]): Costs["gate"] {
  const texts: string[] = [];
  for (let lines = 0, at = 0; lines < 10_000; at++) {
    const text = programs[at % programs.length];
    invariant(text !== undefined, "the workload has programs");
    texts.push(text);
    lines += text.split("\n").length;
  }
  const once = (): number => {
    const begin = processMilliseconds();
    for (const text of texts) invariant(refusalOf(text) === undefined, "the gate admits what the emitter writes");
    return processMilliseconds() - begin;
  };
  const [first = 0, ...others] = Array.from({ length: 60 }, once);
  const warm = others.slice(30).toSorted((a, b) => a - b)[15] ?? 0;
  return { first, warm };
}

/** Another action beside the first. */
const edited = (text: string, number: number): string => text.replace(/actions: \[/, `actions: ["bench-${number}", `);

function workload(): string {
  const kit = resolve(process.env["AUTHZ_BENCH_KIT"] ?? "../shared/bench");
  if (!existsSync(join(kit, "gen.mjs"))) {
    console.error(`bench compile: no workloads at ${kit} (there is no gen.mjs); set AUTHZ_BENCH_KIT to the folder of the benchmark kit`);
    process.exit(2);
  }
  const folder = mkdtempSync(join(tmpdir(), "authz-bench-"));
  execFileSync(process.execPath, [realpathSync(join(kit, "gen.mjs")), "classic", String(copies), folder, "--brand=authz"], {
    stdio: "ignore",
  });
  return folder;
}

const once = process.argv.indexOf("--once");
if (once >= 0) process.stdout.write(JSON.stringify(measure(process.argv[once + 1] ?? "")));
else {
  const folder = workload();
  const [, script = ""] = process.argv;
  const runs = Array.from({ length: 3 }, (): Costs =>
    JSON.parse(execFileSync(process.execPath, [script, "--once", join(folder, "policies")], { encoding: "utf8" })),
  );
  rmSync(folder, { recursive: true });
  const sorted = runs.toSorted((a, b) => whole(a) - whole(b));
  const costs = sorted[1];
  invariant(costs !== undefined, "there were three runs");
  if (process.argv.includes("--json")) console.log(JSON.stringify({ node: process.version, ...costs }, undefined, 2));
  else print(costs);
  process.exitCode = whole(costs) <= goals.wholeSet && costs.change.median <= goals.oneChange && costs.gate.warm <= goals.gate ? 0 : 1;
}

function whole({ read, compile, load }: Costs): number {
  return read + compile + load;
}

function print(costs: Costs): void {
  const { policies, read, compile, load, gate, change, memory } = costs;
  const verdict = (found: number, goal: number): string => (found <= goal ? "PASS" : "MISS");
  console.log(`${policies} policies, a new process each time, median of 3; milliseconds of processor time`);
  console.log(
    `from YAML to ready    ${whole(costs).toFixed(0).padStart(8)}   (read ${read.toFixed(0)}, compile ${compile.toFixed(0)}, load ${load.toFixed(0)}; ${memory.toFixed(0)} MB)   goal ${goals.wholeSet}: ${verdict(whole(costs), goals.wholeSet)}`,
  );
  console.log(
    `the gate, 10,000 lines${gate.warm.toFixed(1).padStart(7)}   (warm; ${gate.first.toFixed(1)} at first)   goal ${goals.gate}: ${verdict(gate.warm, goals.gate)}`,
  );
  console.log(
    `one changed file      ${change.median.toFixed(1).padStart(8)}   (first ${change.first.toFixed(1)}, worst ${change.worst.toFixed(1)}; at the median the compile thread has ${change.compile.toFixed(1)}, the answering one ${change.load.toFixed(1)})   goal ${goals.oneChange}: ${verdict(change.median, goals.oneChange)}`,
  );
}
