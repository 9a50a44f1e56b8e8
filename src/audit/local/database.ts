/** The SQLite database of audit entries: writes in transactions, reads pages, removes old entries. */
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { makePrivateFile } from "../../store/sqlite-file.ts";
import type { Entry } from "../sink.ts";

/** One entry as stored. */
export type Row = Pick<Entry, "kind" | "callId"> & { readonly text: string };

/** Selects rows: of a kind, from one call id (inclusive) to another (exclusive), up to a limit. */
export interface Page {
  readonly kind: Row["kind"];
  readonly from: string;
  readonly before: string;
  readonly newestFirst: boolean;
  readonly limit: number;
}

/** An open database. */
export interface EntryDatabase {
  /** Returns whether its file is still the one that was opened; it may have been removed or replaced. */
  readonly isInPlace: () => boolean;
  /** Adds entries, at most `maxAtOnce` per transaction. Entries that exist already are left unchanged. */
  readonly add: (rows: readonly Row[], maxAtOnce: number) => void;
  readonly read: (page: Page) => readonly Pick<Row, "callId" | "text">[];
  /** Removes up to `most` entries of calls before an id; returns how many were removed. */
  readonly removeBefore: (callId: string, most: number) => number;
  readonly close: () => void;
}

const utf8 = new TextDecoder();

const kinds = { access: 1, decision: 2 } as const;

/** The rows of one INSERT statement: executing a statement costs the driver more than a row. */
const rowsOfStatement = 16;

/** Opens the database in a directory, and creates both if necessary. `maxPages` limits its size in SQLite pages. */
export function openEntryDatabase(folder: string, maxPages?: number): EntryDatabase {
  const path = join(folder, "audit.db");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // A folder that was there may be open to others, who are to read no entries. Where the file is there, it keeps its permissions.
  makePrivateFile(path);
  const database = new Database(path, { timeout: 5000 });
  database.pragma("journal_mode = WAL");
  // A crash of the machine may lose the last transactions, but not damage the database.
  database.pragma("synchronous = NORMAL");
  database.exec("CREATE TABLE IF NOT EXISTS entry (kind INTEGER NOT NULL, call_id TEXT NOT NULL, entry TEXT NOT NULL)");
  database.exec("CREATE UNIQUE INDEX IF NOT EXISTS entry_by_call ON entry (kind, call_id)");

  if (maxPages !== undefined) database.pragma(`max_page_count = ${maxPages}`);
  const opened = statSync(path);

  const inserting = (rows: number) =>
    database.prepare(`INSERT OR IGNORE INTO entry (kind, call_id, entry) VALUES ${Array<string>(rows).fill("(?, ?, ?)").join(", ")}`);
  const insertOne = inserting(1);
  const insertSome = inserting(rowsOfStatement);
  const addAll = (rows: readonly Row[]): void => {
    const whole = rows.length - (rows.length % rowsOfStatement);
    for (let begin = 0; begin < whole; begin += rowsOfStatement)
      insertSome.run(rows.slice(begin, begin + rowsOfStatement).flatMap(({ kind, callId, text }) => [kinds[kind], callId, text]));
    for (const { kind, callId, text } of rows.slice(whole)) insertOne.run(kinds[kind], callId, text);
  };
  // Read as bytes: the driver crashes on invalid UTF-8, which a damaged file may contain.
  const select = (order: "ASC" | "DESC") =>
    database.prepare(
      `SELECT CAST(call_id AS BLOB) AS callId, CAST(entry AS BLOB) AS text FROM entry WHERE kind = ? AND call_id >= ? AND call_id < ? ORDER BY call_id ${order} LIMIT ?`,
    );
  const oldestFirst = select("ASC");
  const newestFirst = select("DESC");
  const remove = database.prepare("DELETE FROM entry WHERE rowid IN (SELECT rowid FROM entry WHERE kind = ? AND call_id < ? LIMIT ?)");

  return {
    isInPlace: () => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.ino === opened.ino && found.dev === opened.dev;
    },
    add: (rows, maxAtOnce) => {
      for (let begin = 0; begin < rows.length; begin += maxAtOnce)
        inTransaction(database, () => addAll(rows.slice(begin, begin + maxAtOnce)));
    },
    read: (page) => {
      const statement = page.newestFirst ? newestFirst : oldestFirst;
      // The columns are those of the statement.
      const rows = statement.all(kinds[page.kind], page.from, page.before, page.limit) as { callId: Uint8Array; text: Uint8Array }[];
      return rows.map(({ callId, text }) => ({ callId: utf8.decode(callId), text: utf8.decode(text) }));
    },
    removeBefore: (callId, most) => remove.run(kinds.access, callId, most).changes + remove.run(kinds.decision, callId, most).changes,
    close: () => void database.close(),
  };
}

function inTransaction(database: Database.Database, work: () => void): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    work();
    database.exec("COMMIT");
  } catch (error) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // A full disk has caused a rollback already; the first error is the relevant one.
    }
    throw error;
  }
}
