/** Signal handling for PID 1, as which a container runs us: the kernel ignores signals that would end any other process, unless the process has a handler. */
import { constants } from "node:os";

const endings = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** What a process is asked for here. */
interface Self {
  readonly pid: number;
  readonly on: (signal: NodeJS.Signals, listener: () => void) => unknown;
  readonly listenerCount: (signal: NodeJS.Signals) => number;
}

/** Has these signals end a first process as they end others, with the code that shells say for it, while nobody else listens for them: `docker stop` during a start would wait in vain, and kill what has become a server meanwhile. */
export function endAsOthersDo(self: Self, exit: (code: number) => void): void {
  if (self.pid !== 1) return;
  for (const signal of endings)
    self.on(signal, () => {
      if (self.listenerCount(signal) === 1) exit(128 + constants.signals[signal]);
    });
}
