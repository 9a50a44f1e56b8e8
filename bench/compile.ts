/** What does it cost to compile thousands of policies from YAML and load them, and to put one changed file in force? */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../compiler/index.ts";
import { openCompileCache } from "../compiler/cache.ts";
import { isPolicyPath } from "../compiler/policy/paths.ts";
import type { Source } from "../compiler/source.ts";
import { invariant } from "../runtime/cel/error.ts";
import { bundleChange } from "../src/compile/bundle-change.ts";
import { refusalOf } from "../runtime/sandbox/gate/index.ts";
import { openRealm } from "../runtime/sandbox/realm.ts";
import { realmTexts } from "../src/artefact.ts";
import { digest } from "../src/texts/digest.ts";
import { processMilliseconds, threadMilliseconds } from "./clock.ts";
import { writeDifferent } from "./sets/different.ts";
import { kit, writeWorkload } from "./sets/kit.ts";
import { isQuick } from "./tell/flags.ts";
import { report, short } from "./tell/report.ts";

/** Copies of the classic workload's nine policies, and what the issue allows: milliseconds of processor time. */
const copies = Number(process.env["AUTHZ_BENCH_COPIES"] ?? (isQuick ? 20 : 1000));
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
  const cache = openCompileCache();
  let compilation = compile(sources, { digest, cache });
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
      ({ path, text }, index) =>
        index >= (change * 97) % (sources.length >> 1) && /^(?:resource|document)_/.test(path) && text.includes("EFFECT_"),
    );
    const before = current[at];
    invariant(before !== undefined, "the workload has resource policies");
    current[at] = { ...before, text: edited(before.text, change) };
    const begin = processMilliseconds();
    const beginThread = threadMilliseconds();
    const next = compile(current, { digest, cache });
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

const once = process.argv.indexOf("--once");
if (once >= 0) process.stdout.write(JSON.stringify(measure(process.argv[once + 1] ?? "")));
else {
  const set = kit === undefined && isQuick ? writeDifferent(copies) : writeWorkload("compile", "classic", copies);
  const [, script = ""] = process.argv;
  const runs = Array.from({ length: isQuick ? 1 : 3 }, (): Costs =>
    JSON.parse(execFileSync(process.execPath, [script, "--once", set.policies], { encoding: "utf8" })),
  );
  set.remove();
  const costs = runs.toSorted((a, b) => whole(a) - whole(b))[runs.length >> 1];
  invariant(costs !== undefined, "there were runs");
  tell(costs);
}

function whole({ read, compile, load }: Costs): number {
  return read + compile + load;
}

function tell(costs: Costs): void {
  const { policies, read, compile, load, gate, change, memory } = costs;
  report({
    bench: "compile",
    figures: costs,
    text: [
      `${policies} policies, a new process each time, median of 3; milliseconds of processor time`,
      `from YAML to ready      ${short(whole(costs))}   (read ${short(read)}, compile ${short(compile)}, load ${short(load)}; ${short(memory)} MB)`,
      `the gate, 10,000 lines  ${short(gate.warm)}   (warm; ${short(gate.first)} at first)`,
      `one changed file        ${short(change.median)}   (first ${short(change.first)}, worst ${short(change.worst)}; at the median the compile thread has ${short(change.compile)}, the answering one ${short(change.load)})`,
    ].join("\n"),
    goals: [
      { name: "from YAML to ready, ms", found: whole(costs), most: goals.wholeSet },
      { name: "the gate, 10,000 lines, warm, ms", found: gate.warm, most: goals.gate },
      { name: "one changed file, ms", found: change.median, most: goals.oneChange },
    ],
  });
}
