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
const rounds = numberOf("rounds", isQuick ? 1 : 2);
/** How often each server is asked in a round. */
const turns = numberOf("turns", isQuick ? 1 : 7);
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
  readonly overAll: readonly Cost[];
  readonly overFew: readonly Cost[];
}

/** So many times may a server be warmed up before it has to answer everything twice at once. */
const maxWarmUps = 20;

const sumOfMemory = (pid: number, key: "resident" | "peak"): number => family(pid).reduce((sum, each) => sum + memoryOf(each)[key], 0);

interface Running {
  readonly server: Server;
  readonly row: Omit<Row, "peak" | "overAll" | "overFew">;
  readonly load: (bodies: readonly string[], time?: number) => Promise<Cost>;
  readonly all: readonly string[];
  readonly few: readonly string[];
  readonly check: () => Promise<number>;
}

type Server = Awaited<ReturnType<typeof startServer>>;

/** A policy is opened when it is asked for first: a server is warm when it was asked everything, and again. */
async function warm(load: Running["load"], bodies: readonly string[]): Promise<Cost> {
  const first = await load(bodies, warmUp);
  let { requests } = first;
  for (let more = 1; requests < 2 * bodies.length && more < maxWarmUps; more++) ({ requests } = await load(bodies, warmUp));
  if (requests < 2 * bodies.length) throw new Error(`not warm: ${requests} requests at once, of ${bodies.length} that differ`);
  return first;
}

async function begin(set: string, units: number, written: PolicySetOnDisk, server: Server): Promise<Running> {
  const resident = sumOfMemory(server.pid, "resident");
  const check = (): Promise<number> => verify(written, Math.min(units, 10), (body) => askOnce(server.http, body));
  const verified = await check();
  const step = Math.max(1, Math.floor(units / few));
  const load: Running["load"] = (bodies, time = seconds) => costOf(server, { bodies, seconds: time, connections: 32 });
  const first = await warm(load, written.bodies);
  if (!isQuick) await untilLevel(() => load(written.bodies));
  const { ready, processor: startProcessor } = server;
  console.error(`scale: ${set}, ${units} units, ready after ${short(ready)} ms, warm`);
  return {
    server,
    row: { set, units, policies: written.count, shapes: shapesOf(written), ready, startProcessor, resident, verified, first },
    load,
    all: written.bodies,
    few: written.bodies.filter((_, at) => Math.floor(at / written.bodiesOfUnit) % step === 0),
    check,
  };
}

/** All sizes at once, each asked in turn: what a machine does meanwhile is everybody's. */
async function measure(set: string, made: ReadonlyMap<number, PolicySetOnDisk>): Promise<readonly Row[]> {
  const servers: Server[] = [];
  try {
    const running: Running[] = [];
    for (const [units, written] of made) {
      const server = await startServer(written.policies);
      servers.push(server);
      running.push(await begin(set, units, written, server));
    }
    const overAll = await inTurn(running, ({ load, all }) => load(all));
    for (const each of running) await warm(each.load, each.few);
    const overFew = await inTurn(running, ({ load, few: bodies }) => load(bodies));
    for (const [at, { row }] of running.entries())
      console.error(
        `scale: ${set}, ${row.units} units, us a request: ${short(processor(overAll[at] ?? []))}, over ${few} ${short(processor(overFew[at] ?? []))}`,
      );
    for (const { check } of running) await check();
    return running.map(({ row, server }, at) => ({
      ...row,
      peak: sumOfMemory(server.pid, "peak"),
      overAll: overAll[at] ?? [],
      overFew: overFew[at] ?? [],
    }));
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function inTurn(running: readonly Running[], ask: (each: Running) => Promise<Cost>): Promise<readonly (readonly Cost[])[]> {
  const costs = running.map((): Cost[] => []);
  for (let turn = 0; turn < turns; turn++) for (const [at, each] of running.entries()) costs[at]?.push(await ask(each));
  return costs;
}

/** Of spells. */
const processor = (costs: readonly Cost[]): number => median(costs.map((cost) => cost.processor));

goBesideServer();
const rows: Row[] = [];
const unknown = sets.find((set) => !makers.has(set));
if (unknown !== undefined) {
  console.error(`bench scale: there is no set ${unknown} here; those that there are: ${[...makers.keys()].join(", ")}`);
  process.exit(2);
}
for (const set of sets) {
  const made = new Map<number, PolicySetOnDisk>();
  try {
    for (const units of sizes) {
      const written = makers.get(set)?.(units);
      if (written !== undefined) made.set(units, written);
    }
    for (let round = 0; round < rounds; round++) rows.push(...(await measure(set, made)));
  } finally {
    for (const written of made.values()) written.remove();
  }
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
    found: growth(set, (row) => processor(row.overAll)),
    most: 10,
  },
  { name: `${set}: growth, requests over ${few} units, %`, found: growth(set, (row) => processor(row.overFew)), most: 10 },
]);
const columns: readonly (readonly [heading: string, figure: (row: Row) => number])[] = [
  ["us/request", (row) => processor(row.overAll)],
  ["at first", (row) => row.first.processor],
  [`over ${few}`, (row) => processor(row.overFew)],
  ["p99 ms", (row) => median(row.overAll.map(({ p99 }) => p99))],
  ["ready ms", (row) => row.ready],
  ["its CPU ms", (row) => row.startProcessor],
  ["MB ready", (row) => row.resident],
  ["MB most", (row) => row.peak],
];
report({
  bench: "scale",
  figures: { rounds, turns, seconds, client: httpClient, pinning, rows },
  text: [
    `HTTP by ${httpClient}, 32 connections, ${rounds} times ${turns} spells of ${seconds} s, all sizes in turn, when a request costs no less any more; ${pinning}; ${rows[0]?.verified} decisions held against the reference before and after each`,
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
