/** Logs uncaught errors, after which the process has to end: one that goes on may decide wrongly. */
import type { Log } from "../observe/log.ts";

/** Waits for the first one. */
export interface Unforeseen {
  /** Resolves once it has been logged: the process has to end. */
  readonly happened: Promise<void>;
  readonly close: () => void;
}

/** Opens it. */
export function openUnforeseen(log: Log): Unforeseen {
  let caught: (error: unknown) => void = () => undefined;
  const happened = new Promise<void>((resolve) => {
    caught = (error) => {
      const place = error instanceof Error && error.stack !== undefined ? { "error.stack_trace": error.stack } : {};
      log.error({ err: error, ...place }, "an uncaught error ends the process");
      resolve();
    };
  });
  process.on("uncaughtException", caught); // rejections that nobody handles come here too
  return { happened, close: () => void process.off("uncaughtException", caught) };
}
