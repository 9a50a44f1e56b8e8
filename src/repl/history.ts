/** The history file: readable only by its owner, of limited length; its errors are never fatal. */
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../config/environment.ts";

/** The most lines that are kept. */
const maxLines = 1_000;
/** Longer lines were pasted, and are not kept. */
const maxLineLength = 10_000;

/** The history of a session. */
export interface History {
  /** Newest first. */
  readonly lines: readonly string[];
  readonly add: (line: string) => void;
}

/** No history. */
export const noHistory: History = { lines: [], add: () => undefined };

/** Returns the default history file; undefined without a home directory. */
export function historyFile({ XDG_STATE_HOME: state, HOME: home }: Environment): string | undefined {
  const base =
    state !== undefined && state.startsWith("/") ? state : home === undefined || home === "" ? undefined : join(home, ".local", "state");
  return base === undefined ? undefined : join(base, "authz", "repl-history");
}

/** Opens a history file; if that fails, warns once and continues without history. */
export function openHistory(file: string | undefined, warn: (message: string) => void): History {
  if (file === undefined || file === "") return noHistory;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Closing a device such as /dev/null to others would break their programs, and its end may never come.
    if (statSync(file, { throwIfNoEntry: false })?.isCharacterDevice() === true) return noHistory;
    const before = existsSync(file)
      ? readFileSync(file, "utf8")
          .split("\n")
          .filter((line) => line !== "")
      : [];
    const kept = before.slice(-maxLines);
    if (kept.length < before.length || !existsSync(file)) writeFileSync(file, kept.map((line) => `${line}\n`).join(""), { mode: 0o600 });
    chmodSync(file, 0o600);
    let last = kept.at(-1);
    return {
      lines: kept.toReversed(),
      add(line) {
        // As in a shell, lines that begin with a space are not kept.
        if (line === "" || /^\s/.test(line) || line === last || line.length > maxLineLength) return;
        last = line;
        try {
          appendFileSync(file, `${line}\n`, { mode: 0o600 });
        } catch {
          // The file has gone or the disk is full; ignored, because the session matters more.
        }
      },
    };
  } catch (error) {
    warn(`the history cannot be kept in \`${file}\`: ${error instanceof Error ? error.message : String(error)}`);
    return noHistory;
  }
}
