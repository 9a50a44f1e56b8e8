/** Does a request cost more where there are more policies? 900, 9,000 and 36,000 of the classic set and of a set whose policies all differ in shape. */
import { goBesideServer, pinning } from "./load/pin.ts";
import { askOnce, costOf, type Cost } from "./load/cost.ts";
import { httpClient } from "./load/http.ts";
import { untilLevel } from "./load/level.ts";
import { family, memoryOf } from "./load/processes.ts";
import { startServer } from "./load/subject.ts";
import { writeDifferent } from "./sets/different.ts";
import { kit, type PolicySetOnDisk, writeWorkload } from "./sets/kit.ts";
import { shapesOf } from "./sets/shapes.ts";
import { verify } from "./sets/verify.ts";
import { isQuick, listOf, numberOf } from "./tell/flags.ts";
import { type Goal, median, report, short, table } from "./tell/report.ts";

const sizes = listOf("units", isQuick ? ["1", "2"] : ["100", "1000", "4000"]).map(Number);
const rounds = numberOf("rounds", isQuick ? 1 : 3);
const seconds = numberOf("seconds", isQuick ? 0.1 : 5);
const warmUp = numberOf("warmup", isQuick ? 0.1 : 8);
/** Of these many units only, spread over all: everything that a server remembers is warm. */
const few = isQuick ? 1 : 10;

const makers = new Map<string, (units: number) => PolicySetOnDisk>([
  ...(kit === undefined ? [] : [["classic", (units: number) => writeWorkload("scale", "classic", units)] as const]),
  ["different", (units) => writeDifferent(units)],
]);
const sets = listOf("sets", [...makers.keys()]);

interface Row {
  readonly set: string;
  readonly units: number;
  readonly policies: number;
  /** Of a hundred units. */
  readonly shapes: string;
  /** Milliseconds until ready: elapsed, and of processor time. */
  readonly ready: number;
  readonly startProcessor: number;
  /** Megabytes: when ready, and the most. */
  readonly resident: number;
  readonly peak: number;
  /** Decisions that were held against the reference. */
  readonly verified: number;
  /** Over all units, while policies are asked for the first time. */
  readonly first: Cost;
  readonly overAll: Cost;
  readonly overFew: Cost;
}

/** So many times may a server be warmed up before it has to answer everything twice at once. */
const mostWarmUps = 20;

const sumOfMemory = (pid: number, key: "resident" | "peak"): number => family(pid).reduce((sum, each) => sum + memoryOf(each)[key], 0);

async function measure(set: string, units: number, written: PolicySetOnDisk): Promise<Row> {
  const server = await startServer(written.policies);
  try {
    const resident = sumOfMemory(server.pid, "resident");
    const ask = (body: string): Promise<string> => askOnce(server.http, body);
    const verified = await verify(written, Math.min(units, 10), ask);
    const step = Math.max(1, Math.floor(units / few));
    const ofFew = written.bodies.filter((_, at) => Math.floor(at / written.bodiesOfUnit) % step === 0);
    const cost = (bodies: readonly string[], time: number): Promise<Cost> => costOf(server, { bodies, seconds: time, connections: 32 });
    // A policy is opened when it is asked for first: a server is warm when it was asked everything, and again.
    const warm = async (bodies: readonly string[]): Promise<Cost> => {
      const first = await cost(bodies, warmUp);
      let { requests } = first;
      for (let more = 1; requests < 2 * bodies.length && more < mostWarmUps; more++) ({ requests } = await cost(bodies, warmUp));
      if (requests < 2 * bodies.length) throw new Error(`not warm: ${requests} requests at once, of ${bodies.length} that differ`);
      return first;
    };
    const first = await warm(written.bodies);
    if (!isQuick) await untilLevel(() => cost(written.bodies, seconds));
    const overAll = await cost(written.bodies, seconds);
    await warm(ofFew);
    const overFew = await cost(ofFew, seconds);
    await verify(written, Math.min(units, 10), ask);
    const { ready, processor: startProcessor } = server;
    const peak = sumOfMemory(server.pid, "peak");
    return {
      set,
      units,
      policies: written.count,
      shapes: shapesOf(written),
      ready,
      startProcessor,
      resident,
      peak,
      verified,
      first,
      overAll,
      overFew,
    };
  } finally {
    await server.stop();
  }
}

goBesideServer();
const rows: Row[] = [];
// A size after the other and then again, so that the noise of an hour is everybody's.
const written = sets.flatMap((set) => sizes.map((units) => ({ set, units, made: makers.get(set)?.(units) })));
for (const { set, made } of written)
  if (made === undefined) {
    console.error(`bench scale: there is no set ${set} here; those that there are: ${[...makers.keys()].join(", ")}`);
    process.exit(2);
  }
try {
  for (let round = 0; round < rounds; round++)
    for (const { set, units, made } of written) if (made !== undefined) rows.push(await measure(set, units, made));
} finally {
  for (const { made } of written) made?.remove();
}

const of = (set: string, units: number, figure: (row: Row) => number): number =>
  median(rows.filter((row) => row.set === set && row.units === units).map(figure));
const growth = (set: string, figure: (row: Row) => number): number => {
  const [smallest = Number.NaN, largest = Number.NaN] = [sizes[0], sizes.at(-1)];
  return (of(set, largest, figure) / of(set, smallest, figure) - 1) * 100;
};
const goals = sets.flatMap((set): readonly Goal[] => [
  {
    name: `${set}: growth from the smallest to the largest, requests over all units, %`,
    found: growth(set, (row) => row.overAll.processor),
    most: 10,
  },
  { name: `${set}: growth, requests over ${few} units, %`, found: growth(set, (row) => row.overFew.processor), most: 10 },
]);
const columns: readonly (readonly [heading: string, figure: (row: Row) => number])[] = [
  ["us/request", (row) => row.overAll.processor],
  ["at first", (row) => row.first.processor],
  [`over ${few}`, (row) => row.overFew.processor],
  ["p99 ms", (row) => row.overAll.p99],
  ["ready ms", (row) => row.ready],
  ["its CPU ms", (row) => row.startProcessor],
  ["MB ready", (row) => row.resident],
  ["MB most", (row) => row.peak],
];
report({
  bench: "scale",
  figures: { rounds, seconds, client: httpClient, pinning, rows },
  text: [
    `HTTP by ${httpClient}, 32 connections, ${rounds} rounds of ${seconds} s after ${warmUp}; ${pinning}; ${rows[0]?.verified} decisions held against the reference before and after each`,
    table(
      ["", "units", "policies", "shapes", ...columns.map(([heading]) => heading)],
      sets.flatMap((set) =>
        sizes.map((units) => {
          const any = rows.find((row) => row.set === set && row.units === units);
          return [
            set,
            String(units),
            String(any?.policies),
            any?.shapes ?? "",
            ...columns.map(([, figure]) => short(of(set, units, figure))),
          ];
        }),
      ),
    ),
    ...(makers.has("classic") ? [] : ["without the classic set: the benchmark kit is not there"]),
  ].join("\n"),
  goals,
});
