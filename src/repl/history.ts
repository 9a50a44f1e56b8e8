/** The file that keeps what was typed: for its owner alone, of a bounded length, and never in the way. */
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../config/environment.ts";

/** Lines that are kept. */
const most = 1_000;
/** A longer line was pasted, and is not worth keeping. */
const longest = 10_000;

/** What was typed before, and the way to keep more. */
export interface History {
  /** The newest first. */
  readonly lines: readonly string[];
  readonly add: (line: string) => void;
}

/** No history. */
export const noHistory: History = { lines: [], add: () => undefined };

/** Where history is kept unless somebody says otherwise; undefined where there is no home. */
export function historyFile({ XDG_STATE_HOME: state, HOME: home }: Environment): string | undefined {
  const base =
    state !== undefined && state.startsWith("/") ? state : home === undefined || home === "" ? undefined : join(home, ".local", "state");
  return base === undefined ? undefined : join(base, "authz", "repl-history");
}

/** Opens a history file; one that cannot be used is reported once, and the session goes on without it. */
export function openHistory(file: string | undefined, warn: (message: string) => void): History {
  if (file === undefined || file === "") return noHistory;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const before = existsSync(file)
      ? readFileSync(file, "utf8")
          .split("\n")
          .filter((line) => line !== "")
      : [];
    const kept = before.slice(-most);
    if (kept.length < before.length || !existsSync(file)) writeFileSync(file, kept.map((line) => `${line}\n`).join(""), { mode: 0o600 });
    chmodSync(file, 0o600);
    let last = kept.at(-1);
    return {
      lines: kept.toReversed(),
      add(line) {
        // As in a shell, what begins with a space is between the author and the screen.
        if (line === "" || /^\s/.test(line) || line === last || line.length > longest) return;
        last = line;
        try {
          appendFileSync(file, `${line}\n`, { mode: 0o600 });
        } catch {
          // The file has gone, or the disk is full: what is typed matters more.
        }
      },
    };
  } catch (error) {
    warn(`the history cannot be kept in \`${file}\`: ${error instanceof Error ? error.message : String(error)}`);
    return noHistory;
  }
}
