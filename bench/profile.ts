/** Where does the time of a request go? The server under load with V8's profiler, self time by group, over HTTP and over gRPC; `--audit`: with everything recorded in a file. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { costOf, askOnce } from "./load/cost.ts";
import { canLoadGrpc, loadGrpc } from "./load/grpc.ts";
import { goBesideServer } from "./load/pin.ts";
import { groupsOf, type Profile, type Shares } from "./load/profile-groups.ts";
import { startServer } from "./load/subject.ts";
import { writeDifferent } from "./sets/different.ts";
import { kit, type PolicySetOnDisk, writeWorkload } from "./sets/kit.ts";
import { verify } from "./sets/verify.ts";
import { isGiven, isQuick, numberOf } from "./tell/flags.ts";
import { report, short, table } from "./tell/report.ts";

const units = isQuick ? 1 : 100;
const seconds = numberOf("seconds", isQuick ? 0.2 : 10);
const warmUp = isQuick ? 0.1 : 8;
const isClassic = kit !== undefined && !isQuick;

/** The profile of the thread that answers, from when the load was warm. */
interface Found {
  readonly microseconds: number;
  readonly shares: Shares;
}

const monotonic = (): number => Number(process.hrtime.bigint() / 1000n);

async function profile(
  set: PolicySetOnDisk,
  load: (ports: { http: number; grpc: number }, seconds: number) => Promise<number>,
): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), "authz-bench-"));
  try {
    const nodeOptions = ["--cpu-prof", "--cpu-prof-interval=250", `--cpu-prof-dir=${folder}`];
    const settings = isGiven("audit") ? { "audit.enabled": true, "audit.file.path": join(folder, "audit.log") } : {};
    const server = await startServer(set.policies, { nodeOptions, settings });
    let [from, to, requests] = [0, 0, 0];
    try {
      await verify(set, Math.min(units, 10), (body) => askOnce(server.http, body));
      await load(server, warmUp);
      from = monotonic();
      requests = await load(server, seconds);
      to = monotonic();
    } finally {
      await server.stop();
    }
    // The thread that answers has the most samples of that time.
    const all = readdirSync(folder)
      .filter((name) => name.endsWith(".cpuprofile"))
      .map((name): Profile => JSON.parse(readFileSync(join(folder, name), "utf8")))
      .map((each) => groupsOf(each, from, to))
      .toSorted((a, b) => b.busy - a.busy);
    const [answering] = all;
    if (answering === undefined) throw new Error("the server left no profile");
    return { microseconds: answering.busy / requests, shares: answering };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

goBesideServer();
const set = isClassic ? writeWorkload("profile", "classic", units) : writeDifferent(units);
const found = new Map<string, Found>();
try {
  found.set(
    "HTTP",
    await profile(set, async ({ http }, time) => {
      const subject = { http, grpc: 0, pid: process.pid, ready: 0, processor: 0, printed: () => "", stop: async () => undefined };
      return (await costOf(subject, { bodies: set.bodies, seconds: time, connections: 32 })).requests;
    }),
  );
  if (isClassic && canLoadGrpc) {
    const folder = join(dirname(set.policies), "grpc");
    const bodies = readdirSync(folder).map((name) => join(folder, name));
    found.set("gRPC", await profile(set, ({ grpc }, time) => loadGrpc(grpc, bodies, time, 32)));
  }
} finally {
  set.remove();
}

const names = [...found.keys()];
const groups = [...new Set(names.flatMap((name) => [...(found.get(name)?.shares.groups.keys() ?? [])]))];
const share = (name: string, group: string): number =>
  (found.get(name)?.shares.groups.get(group) ?? 0) / (found.get(name)?.shares.busy ?? 1);
const most = isGiven("functions") ? 40 : 0;
report({
  bench: "profile",
  figures: Object.fromEntries(
    names.map((name) => [name, { ...found.get(name), shares: Object.fromEntries(groups.map((group) => [group, share(name, group)])) }]),
  ),
  text: [
    `${set.count} policies, 32 connections, ${seconds} s; self time of the thread that answers, ${names.map((name) => `${short(found.get(name)?.microseconds)} us a request over ${name}`).join(", ")}; the profiler's own cost is in it`,
    table(
      ["%", ...names],
      groups
        .toSorted((a, b) => share(names[0] ?? "", b) - share(names[0] ?? "", a))
        .map((group) => [group, ...names.map((name) => (share(name, group) * 100).toFixed(1))]),
    ),
    ...names.flatMap((name) =>
      [...(found.get(name)?.shares.functions ?? [])]
        .toSorted(([, a], [, b]) => b - a)
        .slice(0, most)
        .map(([key, time]) => `${name} ${((time / (found.get(name)?.shares.busy ?? 1)) * 100).toFixed(1).padStart(5)} %  ${key}`),
    ),
  ].join("\n"),
  goals: [],
});
