/** The connection to a database: opened when it is needed, and anew where its file is another one or something went wrong. */
import type { Database } from "libsql";
import { codeOf, isRefusal, messageOf, refusal } from "../refusal.ts";
import { LockedError } from "./locked-error.ts";
import { fileNumber, leftBeside, makeOwnFile } from "./sqlite-file.ts";
import type { SqlitePlace } from "./sqlite-place.ts";
import { isEmpty, migrate } from "./sqlite-tables.ts";

/** Which database, and what it is called in messages. */
export interface ConnectionOptions {
  readonly place: SqlitePlace;
  readonly busyMilliseconds: number;
  readonly mostPages: number | undefined;
  readonly where: string;
  readonly setting: string;
}

/** Who is told of what is opened. */
export interface ConnectionEvents {
  /** Another file lies there than before: nothing of what was read is known to be in it. */
  readonly replaced: () => void;
  /** A connection was opened, which has counted nothing yet. */
  readonly opened: () => void;
}

/** The connection. */
export interface Connection {
  /** Runs with it. One that failed is not used again: it may go on to hold an old state of the database. */
  readonly run: <T>(what: "read" | "written", work: (database: Database) => T) => Promise<T>;
  readonly close: () => void;
}

/** Nothing is opened yet. */
export function openConnection(
  { place, busyMilliseconds, mostPages, where, setting }: ConnectionOptions,
  { replaced, opened: hasOpened }: ConnectionEvents,
): Connection {
  let database: Database | undefined;
  /** The file that is open; 0 before the first. */
  let inode = 0;

  /** Returns the file that is about to be opened; 0: it is to be made. */
  const fileNow = (path: string, readOnly: boolean): number => {
    const now = fileNumber(path);
    // Only at the start is a database made where there is none: one that is gone later is no empty one.
    if (now === 0 && (readOnly || inode !== 0)) throw refusal(`${where} does not exist${setting}`);
    if (now === 0) makeOwnFile(path);
    if (inode === 0 || now === inode) return now;
    // SQLite would write into the new file what belongs to the old one.
    const left = leftBeside(path);
    if (left !== undefined)
      throw refusal(
        `${where} is another file than before, and \`${left}\` beside it is of the one before: stop every server that uses it, remove that file, and start them${setting}`,
      );
    replaced();
    return now;
  };
  const open = async (): Promise<Database> => {
    const number = place.kind === "file" ? fileNow(place.path, place.readOnly) : 0;
    // The module is native: whoever has another store never loads it.
    const { default: Libsql } = await import("libsql");
    const opened = new Libsql(place.kind === "memory" ? ":memory:" : place.path, {
      timeout: busyMilliseconds,
      readonly: place.kind === "file" && place.readOnly,
    });
    try {
      // Nothing is read before this, so a file that is no database is found here.
      if (place.kind === "file" && !place.readOnly) {
        leaveWal(opened);
        opened.pragma("synchronous = FULL");
      }
      if (mostPages !== undefined) opened.pragma(`max_page_count = ${mostPages}`);
      // Nor is one that is empty later a new database: something has cut it off.
      if (inode !== 0 && isEmpty(opened))
        throw refusal(
          `${where} is empty, which it was not: put a backup in its place, or start the server anew to begin with nothing${setting}`,
        );
      if (place.kind === "memory" || !place.readOnly) inTransaction(opened, () => migrate(opened, where));
    } catch (error) {
      opened.close();
      throw error;
    }
    hasOpened();
    // Of the moment before: what was put in its place since then is seen the next time.
    if (place.kind === "file") inode = number === 0 ? fileNumber(place.path) : number;
    return opened;
  };
  const close = (): void => {
    database?.close();
    database = undefined;
  };

  const run = async <T>(what: "read" | "written", work: (database: Database) => T): Promise<T> => {
    try {
      // Somebody may have put another file in its place, such as a backup.
      if (place.kind === "file" && database !== undefined && fileNumber(place.path) !== inode) close();
      database ??= await open();
      return work(database);
    } catch (error) {
      if (place.kind === "file") close();
      if (isRefusal(error)) throw error;
      const why = `${where} cannot be ${what}: ${reason(error)}${setting}`;
      throw isLocked(error) ? new LockedError(why) : refusal(why);
    }
  };
  return { run, close };
}

/** Does work as one: all of it is done, or nothing. */
export function inTransaction<T>(database: Database, work: () => T, mode: "IMMEDIATE" | "DEFERRED" = "IMMEDIATE"): T {
  database.exec(`BEGIN ${mode}`);
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // A full disk has rolled it back already; the first error says what is wrong.
    }
    throw error;
  }
}

/** Between two writes nothing may lie beside a database: a file that is put in its place would be damaged by what is left of the one before. */
function leaveWal(database: Database): void {
  try {
    database.pragma("journal_mode = DELETE");
  } catch (error) {
    // While others have it open as earlier versions of this program did, so do we.
    if (!isLocked(error)) throw error;
  }
}

/** Does another process write to it? */
const isLocked = (error: unknown): boolean => /^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(error) ?? "");

const reasons: { readonly [code: string]: string } = {
  SQLITE_NOTADB: "the file is not a database",
  SQLITE_CORRUPT: "the file is damaged",
  SQLITE_BUSY: "another process holds it locked",
  SQLITE_LOCKED: "another process holds it locked",
  SQLITE_FULL: "the disk is full",
  SQLITE_READONLY: "the server may not write to it",
  SQLITE_IOERR: "the disk reported an error",
  SQLITE_CANTOPEN: "the file cannot be opened: look at the path and its permissions",
};

function reason(error: unknown): string {
  const code = codeOf(error) ?? "";
  const [known] = Object.entries(reasons).filter(([prefix]) => code.startsWith(prefix));
  if (known !== undefined) return known[1];
  // The driver gives this error no code.
  if (/unable to open/i.test(messageOf(error))) return reasons["SQLITE_CANTOPEN"] ?? "";
  return messageOf(error);
}
