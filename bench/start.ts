/** When is a server of 9,000 policies ready: from YAML, from what the start before kept, from a signed bundle? */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askOnce } from "./load/cost.ts";
import { onServerCore, pinning } from "./load/pin.ts";
import { family, memoryOf } from "./load/processes.ts";
import { program, type Settings, startServer } from "./load/subject.ts";
import { writeDifferent } from "./sets/different.ts";
import { kit, writeWorkload } from "./sets/kit.ts";
import { verify } from "./sets/verify.ts";
import { isQuick, listOf, numberOf } from "./tell/flags.ts";
import { median, report, short, table } from "./tell/report.ts";

const units = numberOf("units", isQuick ? 1 : 1000);
const rounds = numberOf("rounds", isQuick ? 1 : 7);
const maxBuffer = 2 ** 28;

const set = kit === undefined || isQuick ? writeDifferent(units) : writeWorkload("start", "classic", units);
const folder = mkdtempSync(join(tmpdir(), "authz-bench-"));
const at = (...names: readonly string[]): string => join(folder, ...names);
const bundle = { "storage.driver": "bundle", "storage.bundle.path": at("set.bundle"), "storage.bundle.publicKeys": at("key.pub") };

interface Way {
  readonly settings: Settings;
  /** On all processors instead of one. */
  readonly isFree?: true;
  /** Milliseconds, and megabytes. */
  readonly most: { readonly ready: number; readonly peak: number };
}

const watched = { "storage.disk.watchForChanges": true };
const kept = (trust: string): Settings => ({ "compile.cacheDir": at(trust), "compile.cacheTrust": trust });
const ways = new Map<string, Way>([
  ["YAML", { settings: {}, most: { ready: 3500, peak: 250 } }],
  ["YAML, all processors", { settings: {}, isFree: true, most: { ready: 2500, peak: 250 } }],
  ["kept, stamps", { settings: { ...watched, ...kept("stamps") }, most: { ready: 500, peak: 150 } }],
  ["kept, contents", { settings: kept("contents"), most: { ready: 500, peak: 150 } }],
  ["kept, contents, watched", { settings: { ...watched, ...kept("contents") }, most: { ready: 500, peak: 150 } }],
  ["signed bundle", { settings: { ...bundle, "storage.bundle.cacheDir": at("bundle") }, most: { ready: 500, peak: 150 } }],
]);
const asked = listOf("ways", [...ways.keys()]);

interface Start {
  readonly ready: number;
  readonly processor: number;
  readonly peak: number;
}

async function start({ settings, isFree }: Way): Promise<Start> {
  const server = await startServer(set.policies, { settings, ...(isFree ? { wrapper: [] } : {}) });
  const peak = family(server.pid).reduce((sum, each) => sum + memoryOf(each).peak, 0);
  await verify(set, 1, (body) => askOnce(server.http, body));
  await server.stop();
  return { ready: server.ready, processor: server.processor, peak };
}

const starts = new Map<string, Start[]>(asked.map((name) => [name, []]));
try {
  for (const name of ["stamps", "contents", "bundle"]) mkdirSync(at(name), { mode: 0o700 });
  // Thousands of warnings are not what is asked for: what was printed is told when a command fails.
  const authz = (...words: readonly string[]): unknown => execFileSync(process.execPath, [program, ...words], { stdio: "pipe", maxBuffer });
  authz("bundle", "keygen", at("key"));
  authz("build", set.policies, "--out", at("set.bundle"), "--sign", at("key"));
  // The first start keeps what the others find.
  for (let round = -1; round < rounds; round++)
    for (const name of asked) {
      const way = ways.get(name);
      if (way === undefined) throw new Error(`no way to start is called ${name}: ${[...ways.keys()].join("; ")}`);
      const took = await start(way);
      if (round >= 0) starts.get(name)?.push(took);
    }
} finally {
  set.remove();
  rmSync(folder, { recursive: true, force: true });
}

const all = (name: string, key: keyof Start): readonly number[] => (starts.get(name) ?? []).map((each) => each[key]);
const found = (name: string, key: keyof Start): number => median(all(name, key));
report({
  bench: "start",
  figures: { rounds, pinning, policies: set.count, starts: Object.fromEntries(starts) },
  text: [
    `${set.count} policies, a new process each time, ${rounds} rounds in turn, files in the page cache; ${onServerCore.length > 0 ? "pinned to one processor but where it says otherwise" : pinning}`,
    table(
      ["", "ready ms", "least", "most", "its CPU ms", "MB most"],
      asked.map((name) => {
        const times = all(name, "ready");
        return [
          name,
          ...[found(name, "ready"), Math.min(...times), Math.max(...times), found(name, "processor"), found(name, "peak")].map(short),
        ];
      }),
    ),
  ].join("\n"),
  goals: asked.flatMap((name) => {
    const { ready = Number.NaN, peak = Number.NaN } = ways.get(name)?.most ?? {};
    return [
      { name: `${name}: ready, ms`, found: found(name, "ready"), most: ready },
      { name: `${name}: most memory, MB`, found: found(name, "peak"), most: peak },
    ];
  }),
});
