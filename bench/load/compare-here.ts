/** The method of the benchmark kit in small, where the kit is not there: our server and the floor in turn, over HTTP, on a workload of our own. */
import { writeDifferent } from "../sets/different.ts";
import { verify } from "../sets/verify.ts";
import { isQuick } from "../tell/flags.ts";
import { median, short, table } from "../tell/report.ts";
import type { Comparison } from "./compare.ts";
import { askOnce, type Cost, costOf } from "./cost.ts";
import { httpClient } from "./http.ts";
import { untilLevel } from "./level.ts";
import { goBesideServer, onServerCore, pinning } from "./pin.ts";
import { startServer, startSubject, type Subject } from "./subject.ts";

const units = isQuick ? 1 : 100;
const workload = "different";

/** The words of the kit, because goals are held against them. */
const measures = ["HTTP CPU us/req", "at first", "HTTP req/s", "HTTP p50 ms", "HTTP p99 ms", "HTTP 1-client p50 ms"] as const;
type Measured = Readonly<Record<(typeof measures)[number], number>>;

export interface ShortCourse {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmup: number;
}

/** Our server and the floor in turn, each a fresh process each time. */
export async function compareHere({ rounds, seconds, warmup }: ShortCourse): Promise<Comparison> {
  goBesideServer();
  const set = writeDifferent(units);
  const starts: readonly (readonly [name: string, start: () => Promise<Subject>])[] = [
    ["authz", () => startServer(set.policies)],
    [
      "fastify",
      () =>
        startSubject(
          ({ http, grpc }) => [process.execPath, process.argv[1] ?? "", "--floor=fastify", String(http), String(grpc)],
          "/health",
        ),
    ],
  ];
  const rows: { readonly name: string; readonly measured: Measured }[] = [];
  try {
    for (let round = 0; round < rounds; round++)
      for (const [name, start] of starts) {
        const server = await start();
        try {
          const check = async (): Promise<unknown> =>
            name === "authz" && verify(set, Math.min(units, 10), (body) => askOnce(server.http, body));
          await check();
          const load = { bodies: set.bodies, connections: 32 };
          const spell = (): Promise<Cost> => costOf(server, { ...load, seconds: isQuick ? 0.1 : warmup });
          const first = await (isQuick ? spell() : untilLevel(spell));
          const cost = await costOf(server, { ...load, seconds: isQuick ? 0.1 : seconds });
          const solo = await costOf(server, { ...load, connections: 1, seconds: isQuick ? 0.1 : Math.max(2, seconds / 2) });
          await check();
          rows.push({
            name,
            measured: {
              "HTTP CPU us/req": cost.processor,
              "at first": first.processor,
              "HTTP req/s": cost.requestsASecond,
              "HTTP p50 ms": cost.p50,
              "HTTP p99 ms": cost.p99,
              "HTTP 1-client p50 ms": solo.p50,
            },
          });
        } finally {
          await server.stop();
        }
      }
  } finally {
    set.remove();
  }
  const found = (name: string, measured: (typeof measures)[number]): number =>
    median(rows.filter((row) => row.name === name).map((row) => row.measured[measured]));
  const names = starts.map(([name]) => name);
  const summary = {
    [workload]: Object.fromEntries(
      measures.map((measured) => [measured, Object.fromEntries(names.map((name) => [name, found(name, measured)]))]),
    ),
  };
  const how = onServerCore.length > 0 ? pinning : "unpinned";
  const text = `${set.count} policies that all differ, HTTP by ${httpClient}, ${rounds} rounds of ${seconds} s when a request costs no less any more than before, at first: in the first ${warmup} s; ${how}\n${table(
    ["", ...names, "ratio"],
    measures.map((measured) => {
      const [first = Number.NaN, second = Number.NaN] = names.map((name) => found(name, measured));
      return [measured, short(first), short(second), short(first / second)];
    }),
  )}`;
  return { summary, text, invalid: 0, result: rows };
}
