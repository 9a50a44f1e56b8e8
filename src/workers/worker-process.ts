/** One worker process, as the primary sees it. */
import type { Serializable } from "node:child_process";
import cluster from "node:cluster";
import { artefact } from "../artefact.ts";
import { tooManyOpenFiles } from "../process/too-many-open-files.ts";
import { messageOf, refusal } from "../refusal.ts";
import { areReadings } from "./are-readings.ts";
import { openChannel, type Channel, type Handlers } from "./channel.ts";
import { trackConnectionsInFlight } from "./in-flight.ts";
import { listening, type PrimaryRequests, type WorkerRequests } from "./messages.ts";
import { relayLines } from "./relay-lines.ts";

/** A worker. */
export interface WorkerProcess {
  readonly number: number;
  readonly pid: number;
  readonly ask: Channel<WorkerRequests>["ask"];
  readonly hasExited: () => boolean;
  /** Resolves when the process has ended, to a description of how. */
  readonly exited: Promise<string>;
  /** Lets it end by itself, because nothing more is needed of it. */
  readonly disconnect: () => void;
  /** Kills it. */
  readonly kill: () => void;
}

/** The options of a worker. */
export interface WorkerProcessOptions {
  readonly number: number;
  /** The handlers of its requests to the primary. */
  readonly handlers: Handlers<PrimaryRequests>;
  /** Called with the lines that it writes to standard output (1) and standard error (2). */
  readonly relay: (descriptor: 1 | 2, lines: string) => void;
  /** Called with invalid messages. */
  readonly refused: (received: unknown) => void;
}

/** Starts a process; it waits for requests. */
export function startWorker({ number, handlers, relay, refused }: WorkerProcessOptions): WorkerProcess {
  // Messages are structured clones, because sets are long strings: JSON would encode and decode every character.
  cluster.setupPrimary({
    exec: artefact("server-worker.js"),
    args: [],
    serialization: "advanced",
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const worker = cluster.fork();
  const child = worker.process;
  // node:cluster re-emits the errors of the process; without a listener, Node would end the primary.
  worker.on("error", () => undefined);
  // If the process cannot be started, for lack of descriptors or processes, it has no pid; the error is reported below.
  const isStarted = child.pid !== undefined;
  if (isStarted) trackConnectionsInFlight(worker);
  let hasExited = false;
  /** Messages sent before the process listens would be lost, so they are queued. */
  let early: Serializable[] | undefined = [];
  const send = (message: Serializable): void => {
    if (early !== undefined) early.push(message);
    else if (child.connected) child.send(message, () => undefined); // An error is ignored: the end of the process is reported below.
  };
  const channel = openChannel<WorkerRequests, PrimaryRequests>({
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
    hasExited: () => hasExited,
    exited: new Promise((resolve) => {
      const ended = (how: string, why = `worker ${number} ended (${how}) before it answered`): void => {
        hasExited = true;
        channel.close(refusal(why));
        resolve(how);
      };
      child.once("exit", (code, signal) => ended(signal === null ? `exit code ${code}` : `signal ${signal}`));
      child.on("error", (error) => {
        const how = tooManyOpenFiles(error) ?? messageOf(error);
        if (!isStarted) ended(how, `worker ${number} cannot be started: ${how}`);
      });
    }),
    disconnect: () => void (child.connected && child.disconnect()),
    kill: () => void (isStarted && child.kill("SIGKILL")),
  };
}
