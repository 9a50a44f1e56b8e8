/** Delivers a signal to its collector: failures are retried within the timeout, and logged at most once a minute. */
import { cutWithDots } from "../../../runtime/cut.ts";
import { messageOf } from "../../refusal.ts";
import { plainText } from "../../unreachable.ts";
import type { Log } from "../log.ts";
import type { Connection, Signal } from "./connection.ts";

/** The result of one attempt, as exporters report it. */
export interface ExportResult {
  /** 0 is success. */
  readonly code: number;
  readonly error?: Error;
}

/** Sends items, and calls back with the result. */
export type Send<Items> = (items: Items, done: (result: ExportResult) => void) => void;

/** Retries and logging for one signal. */
export interface Delivery {
  /** Wraps a function that sends, with retries where the exporter has none. */
  readonly watched: <Items>(send: Send<Items>) => Send<Items>;
  /** Reports that spans were dropped because the queue is full. */
  readonly dropped: (spans: number) => void;
  /** Ends all retries. */
  readonly close: () => void;
}

/** The pause in milliseconds between two log lines about the same problem. */
const quietMilliseconds = 60_000;
/** The message of HTTP exporters when the collector is overloaded or broken. */
const retryable = "Export failed with retryable status";
const firstPause = 500;
const longestPause = 5000;

/** The gRPC codes after which OTLP asks for a retry; HTTP exporters retry by themselves. */
const passingCodes: ReadonlyMap<number, string> = new Map([
  [1, "CANCELLED"],
  [4, "DEADLINE_EXCEEDED"],
  [10, "ABORTED"],
  [11, "OUT_OF_RANGE"],
  [14, "UNAVAILABLE"],
  [15, "DATA_LOSS"],
]);

/** Opens the delivery of a signal. */
export function openDelivery(signal: Signal, connection: Connection, log: Log): Delivery {
  const { protocol, shown, timeoutMilliseconds } = connection;
  const failures = openTrouble();
  const drops = openTrouble();
  const waiting = new Set<() => void>();
  let failing = false;
  let closed = false;

  const succeeded = (): void => {
    if (failing) log.info(`${signal} arrive again at ${shown}`);
    failing = false;
  };
  const failed = (error: unknown): void => {
    failing = true;
    const times = failures.note(1);
    if (times > 0)
      log.warn(`${signal} cannot be sent to ${shown}: ${whyNot(error, connection, signal)}${timesOf(times)}; decisions go on without them`);
  };

  return {
    watched: (send) => (items, done) => {
      const end = performance.now() + timeoutMilliseconds;
      const attempt = (pause: number): void =>
        send(items, (result) => {
          if (result.code === 0) succeeded();
          else {
            failed(result.error);
            if (!closed && protocol === "grpc" && isPassing(result.error) && performance.now() + pause < end) return later(pause, result);
          }
          done(result);
        });
      const later = (pause: number, result: ExportResult): void => {
        const giveUp = (): void => {
          clearTimeout(timer);
          waiting.delete(giveUp);
          done(result);
        };
        const timer = setTimeout(() => {
          waiting.delete(giveUp);
          attempt(Math.min(longestPause, pause * 2));
        }, pause);
        waiting.add(giveUp);
      };
      attempt(firstPause);
    },
    dropped: (spans) => {
      const sum = drops.note(spans);
      if (sum > 0) log.warn(`${sum} spans were dropped: ${shown} does not accept them as fast as they come`);
    },
    close: () => {
      closed = true;
      for (const giveUp of waiting) giveUp();
    },
  };
}

/** Sums up amounts; returns the sum when it is time to report it, otherwise 0. */
function openTrouble(): { readonly note: (amount: number) => number } {
  let toldAt = -Infinity;
  let untold = 0;
  return {
    note: (amount) => {
      untold += amount;
      const now = performance.now();
      if (now - toldAt < quietMilliseconds) return 0;
      const sum = untold;
      toldAt = now;
      untold = 0;
      return sum;
    },
  };
}

const timesOf = (times: number): string => (times === 1 ? "" : ` (${times} times since the last such line)`);

const isPassing = (error: unknown): boolean => passingCodes.has(codeNumber(error) ?? -1);

function codeNumber(error: unknown): number | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : undefined;
}

/** Returns why an export failed. A collector's message may repeat what was sent, including credentials, so secrets are removed. */
function whyNot(error: unknown, { protocol, timeoutMilliseconds, headers }: Connection, signal: Signal): string {
  const code = codeNumber(error);
  const secrets = Object.values(headers).filter((value) => value !== "");
  const said = secrets.reduce((text, secret) => text.replaceAll(secret, "..."), messageOf(error));
  if (said === retryable) return "it answers that it cannot take them now";
  if (code === undefined) return oneLine(said);
  if (protocol === "http/protobuf")
    return `it answers with status ${code}${code === 404 ? ` (is the path right? The usual one is /v1/${signal})` : ""}`;
  if (code === 4) return `no answer within ${timeoutMilliseconds / 1000} s`;
  return code === 14 && /^14 UNAVAILABLE: (No connection established|Name resolution failed|Connection dropped|read E)/.test(said)
    ? oneLine(said)
    : `it answers with the gRPC code ${passingCodes.get(code) ?? code}`;
}

const oneLine = (text: string): string => cutWithDots(plainText(text), 297);
