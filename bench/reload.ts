/** What does a change of policies on disk cost a server that watches 9,000 of them, and when is it in force? */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { invariant } from "../runtime/cel/error.ts";
import { startProcess, type ServerProcess } from "./http-load.ts";
import { report, short, table } from "./tell/report.ts";

/** Copies of the classic workload's nine policies, and what the issue allows. */
const copies = Number(process.env["AUTHZ_BENCH_COPIES"] ?? 1000);
const goals = { milliseconds: 300, processor: 25, compilations: 5, waited: 20 } as const;
const singles = 25;
/** Changes that are made while nobody asks. */
const unasked = 30;
const burst = 1000;
const pollMilliseconds = 5;
/** Milliseconds; all that a change causes is over by then: the second look, and what is collected and optimised after it. */
const afterwards = 1000;

const kinds = Array.from({ length: copies }, (_, number) => `leave_request_${String(number).padStart(5, "0")}`);

interface Subject {
  readonly server: ServerProcess;
  readonly folder: string;
  /** Asks, for each of some kinds, whether somebody with the role of this name may do what is called the same. */
  readonly allowed: (kinds: readonly string[], word: string) => Promise<boolean>;
  readonly page: () => Promise<string>;
}

/** Milliseconds of processor time of a process: nanoseconds by thread where the system tells them. */
function processorTime(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    } catch {
      continue; // ended meanwhile
    }
  }
  return nanoseconds / 1e6;
}

async function open(folder: string): Promise<Subject> {
  const server = await startProcess({
    "storage.driver": "disk",
    "storage.disk.directory": folder,
    "storage.disk.watchForChanges": true,
    "server.logLevel": "warn",
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = (method: string, path: string, body: string): Promise<string> =>
    new Promise((done, failed) => {
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const sent = request({ port: server.port, host: "127.0.0.1", method, path, agent, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => void (text += part));
        response.on("end", () => (response.statusCode === 200 ? done(text) : failed(new Error(text))));
      });
      sent.on("error", failed).end(body);
    });
  return {
    server,
    folder,
    page: () => send("GET", "/_authz/metrics", ""),
    allowed: async (kindsAsked, word) => {
      const resources = kindsAsked.map((kind) => ({ actions: [word], resource: { kind, id: "1", policyVersion: "default" } }));
      const principal = { id: "ann", roles: [word], policyVersion: "default" };
      const text = await send("POST", "/api/check/resources", JSON.stringify({ principal, resources }));
      return text.split('"EFFECT_ALLOW"').length - 1 === kindsAsked.length;
    },
  };
}

const fileOf = (folder: string, kind: string): string =>
  join(folder, `resource_${kind.replace("leave_request_", "leave_request_default_noscope_")}.yaml`);

/** The policy of a kind with one more rule: it allows a word to who has it as a role. */
const withRule = (text: string, word: string): string =>
  text.replace(/^ {2}rules:$/m, `  rules:\n    - actions: ["${word}"]\n      effect: EFFECT_ALLOW\n      roles: ["${word}"]`);

function counted(page: string, name: string): number {
  let sum = 0;
  for (const line of page.split("\n")) if (line.startsWith(name)) sum += Number(line.slice(line.lastIndexOf(" ") + 1));
  return sum;
}
const compilations = async ({ page }: Subject): Promise<number> => counted(await page(), "authz_dev_compiler_compile_duration_count");

interface Polled {
  /** Milliseconds until all was allowed, and of the one check that waited longest for its answer. */
  readonly took: number;
  readonly waited: number;
}

/** Asks until all is allowed, so many milliseconds at most. */
async function poll(subject: Subject, asked: readonly string[], word: string, most: number): Promise<Polled> {
  const began = performance.now();
  let waited = 0;
  for (;;) {
    const sent = performance.now();
    const is = await subject.allowed(asked, word);
    const answered = performance.now();
    waited = Math.max(waited, answered - sent);
    if (is || answered - began > most) return { took: answered - began, waited };
    await sleep(pollMilliseconds);
  }
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

interface Single extends Polled {
  readonly compilations: number;
}

/** Changes one file, and asks until that is in force. */
async function changeOne(subject: Subject, number: number): Promise<Single> {
  const kind = kinds[(number * 37) % kinds.length];
  invariant(kind !== undefined, "there are kinds");
  const file = fileOf(subject.folder, kind);
  const text = withRule(readFileSync(file, "utf8"), `one-${number}`);
  const before = await compilations(subject);
  await sleep(50);
  writeFileSync(file, text);
  const polled = await poll(subject, [kind], `one-${number}`, 20_000);
  // What a change leaves to be done once it is in force holds nobody up either.
  const after = await poll(subject, [kind], "nobody", afterwards);
  return { took: polled.took, waited: Math.max(polled.waited, after.waited), compilations: (await compilations(subject)) - before };
}

interface Cost {
  /** Milliseconds of processor time: of a change, with all that it causes later, and of a second in which nothing changes. */
  readonly change: number;
  readonly idle: number;
  readonly compilations: number;
}

/** Changes files one after another while nobody asks anything, between two times of quiet as long: a client would cost more than what is measured. */
async function costOfChanges(subject: Subject): Promise<Cost> {
  const spent = async (work: (number: number) => void): Promise<number> => {
    const before = processorTime(subject.server.pid);
    for (let number = 0; number < unasked; number++) {
      work(number);
      await sleep(afterwards);
    }
    return processorTime(subject.server.pid) - before;
  };
  const quietBefore = await spent(() => undefined);
  const compiled = await compilations(subject);
  await sleep(afterwards);
  const busy = await spent((number) => {
    const file = fileOf(subject.folder, kinds[(number * 41) % kinds.length] ?? "");
    // What was allowed is denied, and the other way round: the program of the policy is another one each time.
    const text = readFileSync(file, "utf8").replace(/EFFECT_(ALLOW|DENY)/, (word) =>
      word === "EFFECT_ALLOW" ? "EFFECT_DENY" : "EFFECT_ALLOW",
    );
    writeFileSync(file, text);
  });
  const made = (await compilations(subject)) - compiled;
  const quiet = (quietBefore + (await spent(() => undefined))) / 2;
  return { change: (busy - quiet) / unasked, idle: (quiet / unasked / afterwards) * 1000, compilations: made };
}

interface Burst extends Polled {
  readonly written: number;
  readonly processor: number;
  readonly compilations: number;
}

/** Changes a thousand files within so many milliseconds. */
async function changeMany(subject: Subject, word: string, milliseconds: number): Promise<Burst> {
  const many = kinds.slice(0, burst);
  const texts = many.map((kind) => withRule(readFileSync(fileOf(subject.folder, kind), "utf8"), word));
  const before = await compilations(subject);
  const processor = processorTime(subject.server.pid);
  const began = performance.now();
  for (const [at, kind] of many.entries()) {
    const wait = began + (milliseconds * at) / many.length - performance.now();
    if (wait > 1) await sleep(wait);
    writeFileSync(fileOf(subject.folder, kind), texts[at] ?? "");
  }
  const written = performance.now() - began;
  // Fifty at a time, because no request may have more.
  let waited = 0;
  for (let at = many.length; at > 0; at -= 50)
    waited = Math.max(waited, (await poll(subject, many.slice(at - 50, at), word, 60_000)).waited);
  const took = performance.now() - began;
  await sleep(2 * afterwards);
  return {
    written,
    took: took - written,
    waited,
    processor: processorTime(subject.server.pid) - processor,
    compilations: (await compilations(subject)) - before,
  };
}

/** Inotify watches and file descriptors that a process holds. */
function watched(pid: number): { readonly watches: number; readonly descriptors: number } {
  const all = readdirSync(`/proc/${pid}/fdinfo`);
  let watches = 0;
  for (const name of all) {
    try {
      watches += readFileSync(`/proc/${pid}/fdinfo/${name}`, "utf8")
        .split("\n")
        .filter((line) => line.startsWith("inotify ")).length;
    } catch {
      continue; // closed meanwhile
    }
  }
  return { watches, descriptors: all.length };
}

const kit = resolve(process.env["AUTHZ_BENCH_KIT"] ?? "../shared/bench");
if (!existsSync(join(kit, "gen.mjs"))) {
  console.error(`bench reload: no workloads at ${kit} (there is no gen.mjs); set AUTHZ_BENCH_KIT to the folder of the benchmark kit`);
  process.exit(2);
}
const workload = mkdtempSync(join(tmpdir(), "authz-bench-"));
execFileSync(process.execPath, [realpathSync(join(kit, "gen.mjs")), "classic", String(copies), workload, "--brand=authz"], {
  stdio: "ignore",
});
const subject = await open(join(workload, "policies"));
await sleep(5000); // what starting leaves behind is done by then
const held = watched(subject.server.pid);
const ones: Single[] = [];
for (let number = 0; number < singles; number++) ones.push(await changeOne(subject, number));
const cost = await costOfChanges(subject);
// Each is looked at by itself, and what costs nothing was not measured.
invariant(cost.compilations === unasked && cost.change > 0, `${unasked} changes were compiled ${cost.compilations} times`);
const bursts = [];
for (const milliseconds of [0, 1000, 3000])
  bursts.push({ milliseconds, ...(await changeMany(subject, `many-${milliseconds}`, milliseconds)) });
const memory = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${subject.server.pid}/status`, "utf8"))?.[1]) / 1024;
await subject.server.stop();
rmSync(workload, { recursive: true, force: true });

const worst = (numbers: readonly number[]): number => Math.max(...numbers);
const took = ones.map((one) => one.took);
const waited = ones.map((one) => one.waited);
const compiled = worst(bursts.map((many) => many.compilations));
report({
  bench: "reload",
  figures: { policies: copies * 9, held, memory, ones, cost, bursts },
  text: [
    `${copies * 9} policies in a folder that is watched; ${held.watches} watches, ${held.descriptors} descriptors, ${short(memory)} MB`,
    `nothing changes: ${short(cost.idle)} ms of processor time a second`,
    `one change: in force ${short(median(took))} ms after it was written (first ${short(took[0])}, worst ${short(worst(took))}); at most ${worst(ones.map((one) => one.compilations))} compilations; ${short(cost.change)} ms of processor time, of ${unasked} changes that nobody asked about`,
    `a check sent each ${pollMilliseconds} ms meanwhile and for a second afterwards waited at most ${short(worst(waited))} ms (median of ${singles} changes ${short(median(waited))})`,
    table(
      [`${burst} files`, "compilations", "in force after ms", "written in ms", "longest wait ms", "processor ms"],
      bursts.map(({ milliseconds, compilations: made, ...many }) => [
        `within ${milliseconds} ms`,
        ...[made, many.took, many.written, many.waited, many.processor].map(short),
      ]),
    ),
  ].join("\n"),
  goals: [
    { name: "a change in force, the worst, ms", found: worst(took), most: goals.milliseconds },
    { name: "the check that waits longest during a change, ms", found: worst(waited), most: goals.waited },
    { name: "a change, ms of processor time", found: cost.change, most: goals.processor },
    { name: "a thousand changes, compilations", found: compiled, most: goals.compilations },
  ],
});
