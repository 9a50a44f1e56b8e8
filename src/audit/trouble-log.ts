/** What the log says about one destination of audit entries: that it takes none, once a minute at most, and that it takes them again. */
import type { Log } from "../observe/log.ts";
import { messageOf } from "../refusal.ts";
import { StillWritten } from "./destination.ts";

/** The trouble with one destination. */
export interface TroubleLog {
  /** Counts an entry that was lost; the count is logged with the next line. */
  readonly lose: () => void;
  /** Logs what is in the way, unless that was done within the last minute. */
  readonly report: (cause: unknown) => void;
  /** Logs that entries are written again, if trouble was reported, and starts counting anew. */
  readonly isOver: () => void;
}

const logPauseMilliseconds = 60_000;

/** Starts without trouble; `waiting` returns how many entries are queued. */
export function openTroubleLog(log: Log, destination: string, waiting: () => number): TroubleLog {
  let lost = 0;
  let isTroubled = false;
  let lastLogged = Number.NEGATIVE_INFINITY;
  return {
    lose: () => void lost++,
    report: (cause) => {
      isTroubled = true;
      if (performance.now() - lastLogged < logPauseMilliseconds) return;
      lastLogged = performance.now();
      log.error(
        { "error.message": messageOf(cause), "authz.audit.waiting": waiting(), "authz.audit.lost": lost },
        `audit entries cannot be written to ${destination}: ${messageOf(cause)}; they ${cause instanceof StillWritten ? "go on into the file that lay there before" : "wait"}, and it is tried again`,
      );
    },
    isOver: () => {
      if (!isTroubled) return;
      isTroubled = false;
      lastLogged = Number.NEGATIVE_INFINITY;
      log.info({ "authz.audit.lost": lost }, `audit entries are written to ${destination} again; lost meanwhile: ${lost}`);
      lost = 0;
    },
  };
}
