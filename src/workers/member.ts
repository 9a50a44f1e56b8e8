/** One worker process, as the primary sees it: how it is asked, and when it is gone. */
import type { Serializable } from "node:child_process";
import cluster from "node:cluster";
import { artefact } from "../artefact.ts";
import { outOfFiles } from "../process/out-of-files.ts";
import { messageOf, refusal } from "../refusal.ts";
import { areReadings } from "./are-readings.ts";
import { openChannel, type Channel, type Handlers } from "./channel.ts";
import { watchHandedOut } from "./in-flight.ts";
import { listening, type AskedOfPrimary, type AskedOfWorker } from "./messages.ts";
import { relayLines } from "./relay-lines.ts";

/** A worker. */
export interface Member {
  readonly number: number;
  readonly pid: number;
  readonly ask: Channel<AskedOfWorker>["ask"];
  readonly isGone: () => boolean;
  /** Resolves when the process has ended, with the way in which it did, in words. */
  readonly gone: Promise<string>;
  /** Lets it end by itself: it has nothing more to do. */
  readonly release: () => void;
  /** Ends it, whatever it does. */
  readonly kill: () => void;
}

/** What a worker is started with. */
export interface MemberOptions {
  readonly number: number;
  /** Answer what it asks of the primary. */
  readonly handlers: Handlers<AskedOfPrimary>;
  /** Told of every line that it writes to its standard output (1) and standard error (2). */
  readonly relay: (descriptor: 1 | 2, lines: string) => void;
  /** Told of messages that nobody understands. */
  readonly refused: (received: unknown) => void;
}

/** Starts a process; it does nothing before it is asked to. */
export function startMember({ number, handlers, relay, refused }: MemberOptions): Member {
  // Structured clones, because sets are long texts: JSON would look at every character of them twice.
  cluster.setupPrimary({
    exec: artefact("server-worker.js"),
    args: [],
    serialization: "advanced",
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const worker = cluster.fork();
  const child = worker.process;
  // node:cluster says again what the process says, and without a listener Node would end this one.
  worker.on("error", () => undefined);
  // Where none can be started, for want of files or of processes, there is none to talk to, and that is told below.
  const isStarted = child.pid !== undefined;
  if (isStarted) watchHandedOut(worker);
  let gone = false;
  /** What is said before the process listens would be lost: it waits. */
  let early: Serializable[] | undefined = [];
  const send = (message: Serializable): void => {
    if (early !== undefined) early.push(message);
    else if (child.connected) child.send(message, () => undefined); // when it is gone, that is told below
  };
  const channel = openChannel<AskedOfWorker, AskedOfPrimary>({
    send,
    handlers,
    accepted: { readings: areReadings, stop: areReadings },
    refused,
  });
  child.on("message", (message) => {
    if (message !== listening) return channel.receive(message);
    const waited = early ?? [];
    early = undefined;
    waited.forEach(send);
  });
  if (isStarted && child.stdout !== null) relayLines(child.stdout, (lines) => relay(1, lines));
  if (isStarted && child.stderr !== null) relayLines(child.stderr, (lines) => relay(2, lines));
  return {
    number,
    pid: child.pid ?? 0,
    ask: channel.ask,
    isGone: () => gone,
    gone: new Promise((resolve) => {
      const ended = (how: string, why = `worker ${number} ended (${how}) before it answered`): void => {
        gone = true;
        channel.close(refusal(why));
        resolve(how);
      };
      child.once("exit", (code, signal) => ended(signal === null ? `exit code ${code}` : `signal ${signal}`));
      child.on("error", (error) => {
        const how = outOfFiles(error) ?? messageOf(error);
        if (!isStarted) ended(how, `worker ${number} cannot be started: ${how}`);
      });
    }),
    release: () => void (child.connected && child.disconnect()),
    kill: () => void (isStarted && child.kill("SIGKILL")),
  };
}
