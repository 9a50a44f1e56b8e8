/**
 * Tries untrusted bundles before they are put in force, each in a process of its own, which is killed when it hangs or uses too much
 * memory.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { setPriority } from "node:os";
import type { Readable } from "node:stream";
import { getHeapStatistics } from "node:v8";
import { artefact } from "../artefact.ts";
import { codeOf, messageOf, refusal } from "../refusal.ts";
import { isOver, type TimeLimits, timeLimitsFor, type TimeUsed, timeUsedBy } from "./time-limits.ts";

/** Runs trials. */
export interface Trials {
  /** Starts a process in advance. */
  readonly prepare: () => void;
  /** Resolves when a bundle, given as JSON, may be put in force; rejects with a refusal that says why not. */
  readonly tryOut: (bundle: string) => Promise<void>;
  readonly close: () => void;
}

/** Called after each trial. */
export type Tried = (result: "passed" | "refused", milliseconds: number) => void;

/** Opens the trials; `tried` is called after each. */
export function openTrials(tried?: Tried): Trials {
  let prepared: Contestant | undefined;
  let current: Contestant | undefined;
  let isFirst = true;
  const take = (): Contestant => {
    const taken = prepared === undefined || prepared.child.exitCode !== null || prepared.child.signalCode !== null ? start() : prepared;
    prepared = undefined;
    return taken;
  };
  return {
    prepare: () => void (prepared ??= start()),
    tryOut: async (bundle) => {
      const began = performance.now();
      current = take();
      // The start of a server waits for its first trial; later ones have no hurry.
      if (!isFirst) stepBack(current.child);
      isFirst = false;
      try {
        await watch(current, bundle);
        tried?.("passed", performance.now() - began);
      } catch (error) {
        tried?.("refused", performance.now() - began);
        throw error;
      } finally {
        end(current);
        current = undefined;
      }
    },
    close: () => {
      end(prepared);
      end(current);
    },
  };
}

/** A process for a trial. */
interface Contestant {
  readonly child: ChildProcess;
  /** The lines that it writes; it may have been ready for long. */
  readonly lines: Lines;
  /** Returns the end of its standard error. */
  readonly complaint: () => string;
  readonly failure: () => Error | undefined;
}

/** A process that was not started has no pid, and killing it would signal pid 0: our own process group. */
function end(contestant: Contestant | undefined): void {
  if (contestant?.child.pid !== undefined) contestant.child.kill("SIGKILL");
}

interface Lines {
  last: string;
  count: number;
  heard: (line: string) => void;
}

/**
 * The memory limit in MB: string, sandbox and units of the largest possible bundle, which the server will need too. A server with less
 * memory would not survive such a bundle either.
 */
const maxMegabytes = Math.min(1024, Math.floor((getHeapStatistics().heap_size_limit / 2 ** 20) * (3 / 4)));
const youngMegabytes = 16;

/**
 * Starts a process without environment variables, with `/` as its directory and nothing to write to. Only the end of its standard error
 * is kept.
 */
function start(): Contestant {
  const flags = [`--max-old-space-size=${maxMegabytes}`, `--max-semi-space-size=${youngMegabytes}`, "--no-warnings"];
  const child = spawn(process.execPath, [...flags, artefact("trial-worker.js")], {
    env: {},
    cwd: "/",
    stdio: ["pipe", "ignore", "pipe", "pipe", "pipe"],
  });
  const lines: Lines = { last: "", count: 0, heard: () => undefined };
  let complaint = "";
  let failure: Error | undefined;
  child.on("error", (error) => void (failure = error));
  child.stdin?.on("error", () => undefined); // its exit status tells why
  child.stderr?.on("data", (piece: Buffer) => void (complaint = (complaint + piece.toString("utf8")).slice(-4000)));
  // The fourth of the pipes above; the fifth is closed when this thread ends. If the process was not started, there may be none.
  if (child.pid !== undefined) readLines(child.stdio[3] as Readable, lines);
  return { child, lines, complaint: () => complaint, failure: () => failure };
}

function readLines(from: Readable, lines: Lines): void {
  let rest = "";
  from.setEncoding("utf8");
  from.on("error", () => undefined);
  from.on("data", (piece: string) => {
    const parts = (rest + piece).split("\n");
    rest = (parts.pop() ?? "").slice(0, 2000);
    for (const line of parts) {
      lines.count++;
      if (line !== "-") lines.last = line;
      lines.heard(line);
    }
  });
}

const everyMilliseconds = 10;

/** Sends the bundle to the process, and checks its progress regularly. */
function watch({ child, lines, complaint, failure }: Contestant, bundle: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const { pid } = child;
    if (pid === undefined) {
      const known = failure();
      if (known !== undefined) return reject(refusal(notStarted(known)));
      return void child.once("error", (error) => reject(refusal(notStarted(error))));
    }
    let began: TimeUsed = timeUsedBy(pid);
    let seen = lines.count;
    const timer = setInterval(() => {
      const now = timeUsedBy(pid);
      if (seen !== lines.count) [seen, began] = [lines.count, now];
      else if (isOver(began, now, timeLimitsOf(lines.last, bundle.length))) end(`${nameOf(lines.last)}: it gets no further, and was ended`);
    }, everyMilliseconds);
    const end = (why?: string): void => {
      clearInterval(timer);
      if (why === undefined) resolve();
      else reject(refusal(`it did not pass its trial: ${why}`));
    };
    lines.heard = (line) => {
      if (line === "=") end();
      else if (line.startsWith("!")) end(line.slice(1));
    };
    child.once("error", (error) => end(notStarted(error)));
    child.once("close", () => end(`${nameOf(lines.last)}: ${endOf(complaint())}`));
    child.stdin?.end(bundle);
  });
}

function timeLimitsOf(last: string, bytes: number): TimeLimits {
  if (last === "" || last === "ready") return timeLimitsFor.start;
  return last === "loading" ? timeLimitsFor.loading(bytes) : timeLimitsFor.step(Number.parseInt(last, 10));
}

/** Describes the last step. */
function nameOf(last: string): string {
  if (last === "" || last === "ready") return "before it was read";
  return last === "loading" ? "while it was loaded" : last.slice(last.indexOf(" ") + 1);
}

const endOf = (complaint: string): string =>
  /out of memory|invalid (?:\w+ )*size|Allocation failed/i.test(complaint)
    ? `it needs more than ${maxMegabytes} MB of memory`
    : "the process that tried it has crashed";

const notStarted = (error: Error): string =>
  `it cannot be tried, because no process can be started for it (${codeOf(error) ?? messageOf(error)})`;

/** Lowers the priority of a process in favour of answering requests. */
function stepBack({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, 10);
  } catch {
    // Then the priorities stay equal.
  }
}
