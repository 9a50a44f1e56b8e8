/** What does a request cost the server, beside the floor of its transport and beside the reference, in one run? */
import { spawnSync } from "node:child_process";
import { compare, type Comparison, floors, ours, peer, reference, referenceVersion } from "./load/compare.ts";
import { serveFastify, serveGrpc, serveIn } from "./load/floor.ts";
import { compareHere } from "./load/compare-here.ts";
import { kit } from "./sets/kit.ts";
import { isGiven, isQuick, listOf, numberOf, valueOf } from "./tell/flags.ts";
import { type Goal, report, short } from "./tell/report.ts";

const us = "authz";

/** The figures of one workload: of a target, by what was measured. */
type Figure = (measured: string, target: string) => number | undefined;

const figureOf =
  ({ summary }: Pick<Comparison, "summary">, workload: string): Figure =>
  (measured, target) =>
    summary[workload]?.[measured]?.[target] ?? undefined;

const over = (above: number | undefined, below: number | undefined): number | undefined =>
  above === undefined || below === undefined ? undefined : above / below;

/** What is wanted of a workload: how much less than the reference, over HTTP and over gRPC. */
const lessThanReference: Readonly<Record<string, { readonly http: number; readonly grpc: number }>> = {
  "classic:100": { http: 30, grpc: 20 },
  "multitenant:100": { http: 12, grpc: 8 },
};

function goalsOf(workload: string, of: Figure): readonly Goal[] {
  const [httpTime, grpcTime] = ["HTTP CPU us/req", "gRPC CPU us/req"];
  const wanted = lessThanReference[workload];
  const floorGoals: readonly Goal[] = [
    {
      name: `${workload}: HTTP, times the fastify floor`,
      found: over(of(httpTime, us), of(httpTime, "fastify")),
      most: workload === "different" ? 1.8 : 1.6,
    },
    { name: `${workload}: gRPC, times the grpc-js floor`, found: over(of(grpcTime, us), of(grpcTime, "grpc-js")), most: 1.7 },
    { name: `${workload}: p50 of a single client, ms`, found: of("HTTP 1-client p50 ms", us), most: 0.15 },
  ];
  // Of the kit's workloads, the floors' constant answer is as long as the classic one only: of others the ratio says nothing.
  const ofFloors = workload.startsWith("classic") || workload === "different" ? floorGoals : [];
  if (wanted === undefined) return ofFloors;
  return [
    ...ofFloors,
    {
      name: `${workload}: HTTP, times less than the reference`,
      found: over(of(httpTime, "reference"), of(httpTime, us)),
      least: wanted.http,
    },
    {
      name: `${workload}: gRPC, times less than the reference`,
      found: over(of(grpcTime, "reference"), of(grpcTime, us)),
      least: wanted.grpc,
    },
    {
      name: `${workload}: p99 of 32 clients, times less than the reference's`,
      found: over(of("HTTP p99 ms", "reference"), of("HTTP p99 ms", us)),
      least: 20,
    },
  ];
}

const hasTools = ["wrk", "h2load", "taskset"].every((tool) => spawnSync(tool, ["--version"]).error === undefined);

async function beside(): Promise<void> {
  const course = {
    rounds: numberOf("rounds", isQuick ? 1 : 3),
    seconds: numberOf("seconds", isQuick ? 1 : 5),
    warmup: numberOf("warmup", isQuick ? 1 : 5),
    workloads: listOf("workloads", ["classic:100", "multitenant:100"]),
    phases: listOf("phases", ["start", "http", "solo", "grpc"]),
    mode: "pinned",
  } as const;
  // Of a quick run only that it works is asked, and the client of Node is everywhere.
  const kitUsed = hasTools && !isQuick && !isGiven("different") ? kit : undefined;
  const targets = [ours(us, 1), ...floors(), ...(reference === undefined ? [] : [peer])];
  const found = kitUsed === undefined ? await compareHere(course) : await compare(kitUsed, targets, course);
  const version = kitUsed === undefined ? undefined : referenceVersion();
  report({
    bench: "server",
    figures: { reference: version, ...found },
    text: [
      found.text.trim(),
      version === undefined
        ? "no reference beside it: with the benchmark kit, set AUTHZ_PEER to its program"
        : `the reference is ${version}`,
      ...(found.invalid > 0 ? [`${found.invalid} rounds do not count`] : []),
      ...(kitUsed !== undefined ? [] : ["our own workload, whose policies all differ in shape; HTTP only"]),
    ].join("\n"),
    goals: Object.keys(found.summary).flatMap((workload) => goalsOf(workload, figureOf(found, workload))),
  });
}

/**
 * One worker and two, on both processors; the generator has its share of them, which is said.
 *
 * Beside them the floors in one process and in two: what two processes cost more where there is nothing of ours.
 */
async function workers(): Promise<void> {
  if (kit === undefined || !hasTools) {
    console.error("bench server --workers: needs the benchmark kit, wrk and h2load");
    process.exit(2);
  }
  const course = {
    rounds: numberOf("rounds", 3),
    seconds: numberOf("seconds", 5),
    warmup: numberOf("warmup", 5),
    workloads: listOf("workloads", ["classic:100"]),
    phases: ["start", "http", "grpc"],
    mode: "unpinned",
  } as const;
  const control = [...floors(["fastify", "grpc-js"], 1), ...floors(["two fastify", "two grpc-js"], 2)];
  const found = await compare(kit, [ours("one worker", 1), ours("two workers", 2), ...control], course);
  const goals = course.workloads.flatMap((workload) => {
    const of = figureOf(found, workload);
    return ["HTTP", "gRPC"].map((protocol): Goal => {
      const measured = `${protocol} CPU us/req`;
      const name = `${workload}: ${protocol}, CPU a request of two workers, times one's`;
      return { name, found: over(of(measured, "two workers"), of(measured, "one worker")), most: 1.05 };
    });
  });
  const [workload = ""] = course.workloads;
  const of = figureOf(found, workload);
  const share = (protocol: string): string =>
    `${protocol}: ${short(over(of(`${protocol} req/s`, "two workers"), of(`${protocol} req/s`, "one worker")))} times the requests of one worker; of the processors the servers have ${short(of(`${protocol} server util`, "two workers"))}, the generator ${short(of(`${protocol} generator util`, "two workers"))}`;
  const atTheFloor = (protocol: string, name: string): string => {
    const measured = `${protocol} CPU us/req`;
    return `${protocol}: two processes of ${name} cost ${short(over(of(measured, `two ${name}`), of(measured, name)))} times one`;
  };
  const text = [found.text.trim(), share("HTTP"), share("gRPC"), atTheFloor("HTTP", "fastify"), atTheFloor("gRPC", "grpc-js")];
  report({ bench: "server --workers", figures: found, text: text.join("\n"), goals });
}

const floor = valueOf("floor");
const processes = numberOf("processes", 1);
const [http = 0, grpc = 0] = process.argv.slice(-2).map(Number);
if (floor === "fastify") await serveIn(processes, () => serveFastify(http));
else if (floor === "grpc-js") await serveIn(processes, () => serveGrpc(http, grpc));
else await (isGiven("workers") ? workers() : beside());
