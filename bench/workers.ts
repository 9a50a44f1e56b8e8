/** Do two workers cost a request more than one, and than two servers that know nothing of each other? */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { canLoadGrpc, loadGrpc } from "./load/grpc.ts";
import { loadHttp } from "./load/http.ts";
import { processorTimeOf } from "./load/processes.ts";
import { askOnce } from "./load/cost.ts";
import { startServer, type Subject } from "./load/subject.ts";
import { writeDifferent } from "./sets/different.ts";
import { kit, writeWorkload } from "./sets/kit.ts";
import { verify } from "./sets/verify.ts";
import { isQuick, numberOf } from "./tell/flags.ts";
import { median, report, short, table } from "./tell/report.ts";

const units = isQuick ? 1 : 100;
const rounds = numberOf("rounds", isQuick ? 1 : 5);
const seconds = numberOf("seconds", isQuick ? 0.1 : 4);
const warmUp = numberOf("warmup", isQuick ? 0.1 : 8);

const isClassic = kit !== undefined && !isQuick;
const set = isClassic ? writeWorkload("workers", "classic", units) : writeDifferent(units);
const grpcFolder = join(dirname(set.policies), "grpc");
const messages = isClassic && canLoadGrpc ? readdirSync(grpcFolder).map((name) => join(grpcFolder, name)) : [];

/** Asks a server over so many connections, with its half of the questions; answers how many requests it answered. */
type Ask = (server: Subject, part: number, time: number, connections: number) => Promise<number>;

const protocols = new Map<string, Ask>([
  [
    "HTTP",
    async ({ http }, _part, time, connections) => {
      const { requests, errors } = await loadHttp({ port: http, bodies: set.bodies, seconds: time, connections, unpinned: true });
      if (errors > 0) throw new Error(`${errors} of ${requests} requests failed`);
      return requests;
    },
  ],
  ...(messages.length === 0
    ? []
    : [
        [
          "gRPC",
          ({ grpc }: Subject, part: number, time: number, connections: number) => {
            const half = messages.length / 2;
            return loadGrpc(grpc, messages.slice(part * half, (part + 1) * half), time, connections, []);
          },
        ] as const,
      ]),
]);

/** Who is asked by two processes, each over half of the connections. */
interface Arrangement {
  readonly servers: readonly [Subject, Subject];
  readonly connections: number;
}

/** Microseconds of processor time a request, of all servers together. */
async function costOf({ servers, connections }: Arrangement, ask: Ask, time: number): Promise<number> {
  const pids = new Set(servers.map(({ pid }) => pid));
  const spent = (): number => Array.from(pids, processorTimeOf).reduce((sum, each) => sum + each, 0);
  const before = spent();
  const answered = await Promise.all(servers.map((server, part) => ask(server, part, time, connections / 2)));
  return ((spent() - before) * 1000) / answered.reduce((sum, each) => sum + each, 0);
}

const anywhere = { wrapper: [] };
const started: Subject[] = [];
const start = async (workers: number): Promise<Subject> => {
  const server = await startServer(set.policies, { ...anywhere, settings: { "server.workers": workers } });
  started.push(server);
  await verify(set, Math.min(units, 10), (body) => askOnce(server.http, body));
  return server;
};
const figures = new Map<string, Map<string, number[]>>();
try {
  const [alone, both, left, right] = [await start(1), await start(2), await start(1), await start(1)];
  // Two share what one had to do; or each of the two has as much to do as the one had.
  const arrangements = new Map<string, Arrangement>([
    ["one worker", { servers: [alone, alone], connections: 32 }],
    ["two workers", { servers: [both, both], connections: 32 }],
    ["two servers", { servers: [left, right], connections: 32 }],
    ["two workers, 32 each", { servers: [both, both], connections: 64 }],
    ["two servers, 32 each", { servers: [left, right], connections: 64 }],
  ]);
  for (const [protocol, ask] of protocols) {
    const found = new Map(Array.from(arrangements.keys(), (name) => [name, [] as number[]]));
    figures.set(protocol, found);
    for (const arrangement of arrangements.values()) await costOf(arrangement, ask, warmUp);
    for (let round = 0; round < rounds; round++)
      for (const [name, arrangement] of arrangements) found.get(name)?.push(await costOf(arrangement, ask, seconds));
  }
} finally {
  for (const server of started) await server.stop();
  set.remove();
}

const of = (protocol: string, name: string): number => median(figures.get(protocol)?.get(name) ?? []);
const rows = Array.from(figures, ([protocol, found]) =>
  Array.from(found, ([name, times]) => [
    protocol,
    name,
    short(median(times)),
    short(Math.min(...times)),
    short(Math.max(...times)),
    short(of(protocol, name) / of(protocol, "one worker")),
  ]),
).flat();

report({
  bench: "workers",
  figures: Object.fromEntries(Array.from(figures, ([protocol, found]) => [protocol, Object.fromEntries(found)])),
  text: [
    `processor time a request, 32 under way unless said otherwise, asked by two processes; ${set.count} policies; nothing pinned; ${rounds} rounds of ${seconds} s in turn`,
    table(["", "", "us", "least", "most", "times one"], rows),
  ].join("\n"),
  goals: Array.from(figures.keys(), (protocol) => [
    {
      name: `${protocol}, two workers with 32 under way each, times one worker with 32`,
      found: of(protocol, "two workers, 32 each") / of(protocol, "one worker"),
      most: 1.05,
    },
    {
      name: `${protocol}, two workers, times two servers that know nothing of each other`,
      found: of(protocol, "two workers") / of(protocol, "two servers"),
      most: 1.05,
    },
  ]).flat(),
});
