/** Raises the log to debug level for a while, at the operator's signal (SIGUSR1). */
import { parseDuration, printDuration } from "../config/duration.ts";
import { logOf, type LevelledLog } from "./log.ts";

const usual = 600_000;
/** What a timer can wait; later is never. */
const longest = 2 ** 31 - 1;

/** What `openTemporaryDebug` returns. */
export interface TemporaryDebug {
  /** Turns debug lines on, or lets those that are on stay on for the whole time once more. */
  readonly begin: () => void;
  readonly close: () => void;
}

/** Reads AUTHZ_TEMP_LOG_LEVEL_DURATION; a value that is none is a problem, and then it lasts as long as without. */
export function temporaryDebugMilliseconds(written: string | undefined): { readonly milliseconds: number; readonly problem?: string } {
  if (written === undefined) return { milliseconds: usual };
  const milliseconds = parseDuration(written);
  if (milliseconds !== undefined && milliseconds >= 1 && milliseconds <= longest) return { milliseconds };
  return {
    milliseconds: usual,
    problem: `AUTHZ_TEMP_LOG_LEVEL_DURATION must be a duration such as 10m, at most 24 days, not \`${written}\`: it is ${printDuration(usual)}`,
  };
}

/** Waits for `begin`; how long it lasts is as AUTHZ_TEMP_LOG_LEVEL_DURATION writes it. */
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
