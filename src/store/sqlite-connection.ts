/** The connection to a database: opened on demand, and again after its file was replaced or an error occurred. */
import type { Database } from "libsql";
import { codeOf, isRefusal, messageOf, refusal } from "../refusal.ts";
import { LockedError } from "./locked-error.ts";
import { type FileIdentity, fileIdentity, leftBeside, makePrivateFile, mayBeSame, realPath } from "./sqlite-file.ts";
import type { SqlitePlace } from "./sqlite-place.ts";
import { isEmpty, migrate } from "./sqlite-tables.ts";

/** The database, its limits, and its name for messages. */
export interface ConnectionOptions {
  readonly place: SqlitePlace;
  readonly busyMilliseconds: number;
  readonly maxPages: number | undefined;
  readonly where: string;
  readonly setting: string;
}

/** Notifications. */
export interface ConnectionEvents {
  /** The file was replaced, or may have been while it was closed: nothing that was read before need be in it. */
  readonly replaced: () => void;
  /** A connection was opened; its change counter starts anew. */
  readonly opened: () => void;
}

/** The connection. */
export interface Connection {
  /**
   * Runs work with the connection. After an error it is closed, because it may continue to see an old state of the database. All locks
   * together are waited for at most once as long as the options say.
   */
  readonly run: <T>(what: "read" | "written", work: (database: Database, inTransaction: InTransaction) => T) => Promise<T>;
  readonly close: () => void;
}

/** Runs work in a transaction. */
export type InTransaction = <T>(work: () => T, mode?: "IMMEDIATE" | "DEFERRED") => T;

/** Returns a connection; it is not opened yet. */
export function openConnection(
  { place, busyMilliseconds, maxPages, where, setting }: ConnectionOptions,
  { replaced, opened: hasOpened }: ConnectionEvents,
): Connection {
  let database: Database | undefined;
  /** The identity of the open file, or of the last one; undefined before the first. */
  let known: FileIdentity | undefined;
  /** Where that file is, through links. */
  let knownAt: string | undefined;

  /** Returns the identity of the file to open; undefined when it must be created. */
  const fileNow = (path: string, readOnly: boolean): FileIdentity | undefined => {
    const now = fileIdentity(path);
    // A database is created only at the start. One that disappears later must not be replaced by an empty one.
    if (now === undefined && (readOnly || known !== undefined)) throw refusal(`${where} does not exist${setting}`);
    if (now === undefined) makePrivateFile(path);
    if (now === undefined || known === undefined) return now;
    // SQLite would write the old file's journal into the new file. What lies beside another place, to which a link leads now, is its own.
    const at = realPath(path);
    const left = mayBeSame(now, known) || at !== knownAt ? undefined : leftBeside(at);
    if (left !== undefined)
      throw refusal(
        `${where} is another file than before, and \`${left}\` beside it is of the one before: stop every server that uses it, remove that file, and start them${setting}`,
      );
    // Also where it may be the same: while it was closed, it may have been removed, and its inode given to the next one.
    replaced();
    return now;
  };
  const open = async (limitWaiting: LimitWaiting): Promise<Database> => {
    const found = place.kind === "file" ? fileNow(place.path, place.readOnly) : undefined;
    // Imported on demand, because it is a native module.
    const { default: Libsql } = await import("libsql");
    const opened = new Libsql(place.kind === "memory" ? ":memory:" : place.path, {
      timeout: busyMilliseconds,
      readonly: place.kind === "file" && place.readOnly,
    });
    try {
      // This is the first access, so a file that is not a database is detected here.
      if (place.kind === "file" && !place.readOnly) {
        leaveWal(opened);
        limitWaiting(opened);
        opened.pragma("synchronous = FULL");
      }
      if (maxPages !== undefined) opened.pragma(`max_page_count = ${maxPages}`);
      // A file that becomes empty later was truncated; it is not a new database.
      if (known !== undefined && isEmpty(opened))
        throw refusal(
          `${where} is empty, which it was not: put a backup in its place, or start the server anew to begin with nothing${setting}`,
        );
      if (place.kind === "memory" || !place.readOnly) inTransaction(opened, limitWaiting)(() => migrate(opened, where));
    } catch (error) {
      opened.close();
      throw error;
    }
    hasOpened();
    // The identity is the one from before opening, so that a replacement in between is noticed next time.
    if (place.kind === "file") [known, knownAt] = [found ?? fileIdentity(place.path), realPath(place.path)];
    return opened;
  };
  const isAsKnown = (path: string): boolean => {
    const now = fileIdentity(path);
    return now !== undefined && known !== undefined && mayBeSame(now, known);
  };
  const close = (): void => {
    database?.close();
    database = undefined;
  };

  const run: Connection["run"] = async (what, work) => {
    const until = performance.now() + busyMilliseconds;
    const limitWaiting: LimitWaiting = (waiting) => {
      waiting.pragma(`busy_timeout = ${Math.max(0, Math.ceil(until - performance.now()))}`);
    };
    try {
      // The file may have been replaced, for example by a backup.
      if (place.kind === "file" && database !== undefined && !isAsKnown(place.path)) close();
      database ??= await open(limitWaiting);
      limitWaiting(database);
      return work(database, inTransaction(database, limitWaiting));
    } catch (error) {
      if (place.kind === "file") close();
      if (isRefusal(error)) throw error;
      const why = `${where} cannot be ${what}: ${reason(error)}${setting}`;
      throw isLocked(error) ? new LockedError(why) : refusal(why);
    }
  };
  return { run, close };
}

/** Limits how long the next statement waits for a lock to what is left, because SQLite waits anew for each. */
type LimitWaiting = (database: Database) => void;

const inTransaction =
  (database: Database, limitWaiting: LimitWaiting): InTransaction =>
  (work, mode = "IMMEDIATE") => {
    limitWaiting(database);
    database.exec(`BEGIN ${mode}`);
    try {
      const result = work();
      limitWaiting(database);
      database.exec("COMMIT");
      return result;
    } catch (error) {
      try {
        database.exec("ROLLBACK");
      } catch {
        // A full disk has caused a rollback already; the first error is the relevant one.
      }
      throw error;
    }
  };

/**
 * Leaves WAL mode: between writes there must be no file beside the database, because its contents would damage a database that is put
 * in its place.
 */
function leaveWal(database: Database): void {
  try {
    database.pragma("journal_mode = DELETE");
  } catch (error) {
    // As long as other processes use WAL mode, so do we.
    if (!isLocked(error)) throw error;
  }
}

/** Returns whether another process holds a lock. */
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
