/** Logs uncaught errors, after which the process must end: one that continues could decide wrongly. */
import type { Log } from "../observe/log.ts";

/** Waits for an uncaught error. */
export interface UncaughtErrors {
  /** Resolves once an error has been logged: the process must end. */
  readonly happened: Promise<void>;
  readonly close: () => void;
}

/** Starts listening. */
export function openUncaughtErrors(log: Log): UncaughtErrors {
  let caught: (error: unknown) => void = () => undefined;
  const happened = new Promise<void>((resolve) => {
    caught = (error) => {
      const place = error instanceof Error && error.stack !== undefined ? { "error.stack_trace": error.stack } : {};
      log.error({ err: error, ...place }, "an uncaught error ends the process");
      resolve();
    };
  });
  process.on("uncaughtException", caught); // includes unhandled rejections
  return { happened, close: () => void process.off("uncaughtException", caught) };
}
