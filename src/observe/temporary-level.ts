/** Raises the log to debug level for a while, at the operator's signal (SIGUSR1). */
import { parseDuration, printDuration } from "../config/duration.ts";
import { logOf, type LevelledLog } from "./log.ts";

const usual = 600_000;
/** The longest delay of a timer in milliseconds. */
const longest = 2 ** 31 - 1;

/** Temporary debug logging. */
export interface TemporaryDebug {
  /** Switches debug lines on, or restarts their period. */
  readonly begin: () => void;
  readonly close: () => void;
}

/** Parses AUTHZ_TEMP_LOG_LEVEL_DURATION; a malformed value is a problem, and the default is used. */
export function temporaryDebugMilliseconds(written: string | undefined): { readonly milliseconds: number; readonly problem?: string } {
  if (written === undefined) return { milliseconds: usual };
  const milliseconds = parseDuration(written);
  if (milliseconds !== undefined && milliseconds >= 1 && milliseconds <= longest) return { milliseconds };
  return {
    milliseconds: usual,
    problem: `AUTHZ_TEMP_LOG_LEVEL_DURATION must be a duration such as 10m, at most 24 days, not \`${written}\`: it is ${printDuration(usual)}`,
  };
}

/** Opens it; `duration` is the value of AUTHZ_TEMP_LOG_LEVEL_DURATION. */
export function openTemporaryDebug(levelled: LevelledLog, duration: string | undefined): TemporaryDebug {
  const log = logOf(levelled.log, "authz.log");
  const { milliseconds, problem } = temporaryDebugMilliseconds(duration);
  if (problem !== undefined) log.warn(problem);
  const lasting = printDuration(milliseconds);
  let timer: NodeJS.Timeout | undefined;

  let before = levelled.level();

  const end = (): void => {
    timer = undefined;
    log.info(`the log level is ${before} again`);
    levelled.setLevel(before);
  };
  return {
    begin: () => {
      if (timer !== undefined) {
        clearTimeout(timer);
        timer = setTimeout(end, milliseconds).unref();
        log.info(`the log level stays debug for another ${lasting} from now`);
        return;
      }
      const level = levelled.level();
      if (level === "debug" || level === "trace") {
        log.info(`the log level is ${level === "trace" ? "below debug" : "debug"} already: the signal changes nothing`);
        return;
      }
      before = level;
      levelled.setLevel("debug");
      timer = setTimeout(end, milliseconds).unref();
      log.info(`the log level is debug for ${lasting}, then ${before} again`);
    },
    close: () => clearTimeout(timer),
  };
}
