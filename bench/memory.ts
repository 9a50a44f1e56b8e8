/** Does memory stay flat over millions of requests with a reload every second, and is anything left behind? And how much is it at 900 and 9,000 policies? */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { askOnce, costOf } from "./load/cost.ts";
import { httpClient } from "./load/http.ts";
import { type Holding, lookedInto, lookInside } from "./load/inside.ts";
import { goBesideServer } from "./load/pin.ts";
import { type Settings, startServer } from "./load/subject.ts";
import { writeDifferent } from "./sets/different.ts";
import { kit, type PolicySetOnDisk, writeWorkload } from "./sets/kit.ts";
import { verify } from "./sets/verify.ts";
import { isQuick, numberOf } from "./tell/flags.ts";
import { report, short, table } from "./tell/report.ts";

const requests = numberOf("requests", isQuick ? 500 : 5_000_000);
const seconds = isQuick ? 0.2 : 20;
const workers = numberOf("workers", 1);
const sizes = isQuick ? [1] : [100, 1000];
/** Milliseconds between two changes of a file. */
const betweenChanges = isQuick ? 100 : 1000;
/** Milliseconds: timers of requests and of connections that are kept are over by then. */
const quiet = isQuick ? 300 : 5000;
const settings: Settings = { "storage.disk.watchForChanges": true, ...(workers > 1 && { "server.workers": workers }) };

const write = (units: number): PolicySetOnDisk =>
  kit === undefined || isQuick ? writeDifferent(units) : writeWorkload("memory", "classic", units);

/** One look at a server, all its processes together. */
interface Look {
  readonly requests: number;
  /** Files changed, and what was compiled since the start. */
  readonly reloads: number;
  readonly compilations: number;
  readonly processes: readonly Holding[];
}

/** Another set of policies each time, and the same decisions: a comment more, a description that counts. */
function changeOne(set: PolicySetOnDisk, number: number): void {
  const unit = number % (set.bodies.length / set.bodiesOfUnit);
  const path = set.filesOf(unit).find((each) => /^(?:resource_|document_)/.test(each));
  if (path === undefined) throw new Error("every unit has a resource policy");
  const file = join(set.policies, path);
  const text = readFileSync(file, "utf8").replace(/^description: .*\n/m, "");
  writeFileSync(
    file,
    text.replace(/^apiVersion:.*\n/m, (line) => `${line}description: change ${number}\n`),
  );
}

interface Size {
  readonly policies: number;
  readonly ready: readonly Holding[];
  readonly asked: readonly Holding[];
}

/** Memory when ready, and after requests about everything. */
async function sizeOf(units: number): Promise<Size> {
  const [set, folder] = [write(units), mkdtempSync(join(tmpdir(), "authz-bench-"))];
  const server = await startServer(set.policies, { settings, ...lookedInto(folder) });
  try {
    const ready = await lookInside(server.pid, folder);
    await verify(set, Math.min(units, 10), (body) => askOnce(server.http, body));
    await costOf(server, { bodies: set.bodies, seconds: isQuick ? 0.1 : 10, connections: 32 });
    return { policies: set.count, ready, asked: await lookInside(server.pid, folder) };
  } finally {
    await server.stop();
    set.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How often the server has compiled: a change that it did not notice would be no reload. */
async function compilationsOf(port: number): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${port}/_authz/metrics`, { headers: { connection: "close" } })).text();
  const counts = [...page.matchAll(/^authz_dev_compiler_compile_duration_count(?:\{.*\})? (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Looks now and then at a server that is asked all the time and whose policies change every second. */
async function endurance(): Promise<readonly Look[]> {
  const [set, folder] = [write(isQuick ? 1 : 100), mkdtempSync(join(tmpdir(), "authz-bench-"))];
  const server = await startServer(set.policies, { settings, ...lookedInto(folder) });
  const looks: Look[] = [];
  let [asked, reloads] = [0, 0];
  const look = async (): Promise<void> => {
    await sleep(quiet);
    const compilations = await compilationsOf(server.http);
    await sleep(quiet); // the connection of that question is closed by then
    looks.push({ requests: asked, reloads, compilations, processes: await lookInside(server.pid, folder) });
  };
  const ask = (body: string): Promise<string> => askOnce(server.http, body);
  try {
    await verify(set, isQuick ? 1 : 10, ask);
    // What is remembered and optimised once is there from here on.
    asked += (await costOf(server, { bodies: set.bodies, seconds, connections: 32 })).requests;
    changeOne(set, reloads++);
    await look();
    while (asked < requests) {
      const changing = setInterval(() => changeOne(set, reloads++), betweenChanges);
      try {
        asked += (await costOf(server, { bodies: set.bodies, seconds, connections: 32 })).requests;
      } finally {
        clearInterval(changing);
      }
      await look();
      await verify(set, 1, ask);
      if (!isQuick) console.error(`${asked} requests, ${reloads} reloads, ${short(sum(looks.at(-1)?.processes ?? [], "resident"))} MB`);
    }
    return looks;
  } finally {
    await server.stop();
    set.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

const sum = (processes: readonly Holding[], key: "resident" | "heap" | "external"): number =>
  processes.reduce((all, each) => all + each[key], 0);
const count = (processes: readonly Holding[], key: "resources" | "descriptors"): number =>
  processes.reduce((all, each) => all + Object.values(each[key]).reduce((found, kind) => found + kind, 0), 0);
const timers = (processes: readonly Holding[]): number =>
  processes.reduce((all, each) => all + (each.resources["Timeout"] ?? 0) + (each.resources["Immediate"] ?? 0), 0);

goBesideServer();
const found: Size[] = [];
for (const units of sizes) found.push(await sizeOf(units));
const looks = await endurance();
const [first, last] = [looks[0]?.processes ?? [], looks.at(-1)?.processes ?? []];
// The first quarter is left to what fills up once; from there to the end it must be level.
const level = looks[Math.ceil(looks.length / 4)]?.processes ?? first;
const row = (name: string, processes: readonly Holding[]): readonly string[] => [
  name,
  ...[sum(processes, "resident"), sum(processes, "heap"), sum(processes, "external")].map(short),
  ...[count(processes, "descriptors"), timers(processes), count(processes, "resources"), processes.length].map(String),
];
const heading = ["MB", "resident", "heap", "external", "descriptors", "timers", "resources", "processes"];
report({
  bench: "memory",
  figures: { requests, workers, client: httpClient, sizes: found, looks },
  text: [
    table(
      heading,
      found.flatMap(({ policies, ready, asked }) => [row(`${policies} policies, ready`, ready), row(`${policies} policies, asked`, asked)]),
    ),
    "",
    `${looks.at(-1)?.requests} requests by ${httpClient}, ${looks.at(-1)?.reloads} changes, ${looks.at(-1)?.compilations} compilations, ${looks.length} looks; garbage collected before each`,
    table(heading, [row("at first", first), row("after a quarter", level), row("at the end", last)]),
    ...(workers > 1 ? last.map(({ pid, resident, heap }) => `process ${pid}: ${short(resident)} MB resident, ${short(heap)} MB heap`) : []),
    `descriptors at first: ${JSON.stringify(first[0]?.descriptors)}`,
    `descriptors at the end: ${JSON.stringify(last[0]?.descriptors)}; resources: ${JSON.stringify(last[0]?.resources)}`,
  ].join("\n"),
  goals: [
    { name: "resident, from the first quarter to the end, %", found: (sum(last, "resident") / sum(level, "resident") - 1) * 100, most: 10 },
    { name: "heap, from the first quarter to the end, %", found: (sum(last, "heap") / sum(level, "heap") - 1) * 100, most: 5 },
    { name: "descriptors more than at first", found: count(last, "descriptors") - count(first, "descriptors"), most: 0 },
    { name: "timers more than at first", found: timers(last) - timers(first), most: 0 },
  ],
});
