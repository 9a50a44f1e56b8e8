/** Logs problems of one destination of audit entries: an error at most once a minute, and when it accepts entries again. */
import type { Log } from "../observe/log.ts";
import { messageOf } from "../refusal.ts";
import { RotationError } from "./destination.ts";

/** The problems of one destination. */
export interface FailureLog {
  /** Counts a lost entry; the count is logged with the next line. */
  readonly countLost: () => void;
  /** Logs the cause, unless that was done within the last minute. */
  readonly report: (cause: unknown) => void;
  /** Logs that entries are written again, if a problem was reported, and resets the count. */
  readonly recovered: () => void;
}

const logPauseMilliseconds = 60_000;

/** Opens the log; `waiting` returns how many entries are queued. */
export function openFailureLog(log: Log, destination: string, waiting: () => number): FailureLog {
  let lost = 0;
  let isTroubled = false;
  let lastLogged = Number.NEGATIVE_INFINITY;
  return {
    countLost: () => void lost++,
    report: (cause) => {
      isTroubled = true;
      if (performance.now() - lastLogged < logPauseMilliseconds) return;
      lastLogged = performance.now();
      log.error(
        { "error.message": messageOf(cause), "authz.audit.waiting": waiting(), "authz.audit.lost": lost },
        `audit entries cannot be written to ${destination}: ${messageOf(cause)}; ${cause instanceof RotationError ? "they are still written to the old file" : "they wait in memory"}, and writing is retried`,
      );
    },
    recovered: () => {
      if (!isTroubled) return;
      isTroubled = false;
      lastLogged = Number.NEGATIVE_INFINITY;
      log.info({ "authz.audit.lost": lost }, `audit entries are written to ${destination} again; lost meanwhile: ${lost}`);
      lost = 0;
    },
  };
}
