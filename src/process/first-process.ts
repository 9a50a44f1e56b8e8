/** Signal handling for PID 1, as which a container runs us: the kernel ignores signals that would end any other process, unless the process has a handler. */
import { constants } from "node:os";

const endings = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** The part of `process` that is used here. */
interface Self {
  readonly pid: number;
  readonly on: (signal: NodeJS.Signals, listener: () => void) => unknown;
  readonly listenerCount: (signal: NodeJS.Signals) => number;
}

/**
 * Makes these signals end a process with PID 1 as they end others, with the exit code that shells use, as long as nobody else listens
 * for them. Otherwise `docker stop` during a start would time out, and kill the server that has started meanwhile.
 */
export function exitOnSignals(self: Self, exit: (code: number) => void): void {
  if (self.pid !== 1) return;
  for (const signal of endings)
    self.on(signal, () => {
      if (self.listenerCount(signal) === 1) exit(128 + constants.signals[signal]);
    });
}
