/** Policies and schemas in a SQLite database. Reads again only what changed; several processes may share the file. */
import type { Database } from "libsql";
import type { Source } from "../../compiler/source.ts";
import { codeOf, isRefusal, messageOf, refusal } from "../refusal.ts";
import { schemaPath } from "./schema-paths.ts";
import { fileNumber, leftBeside, makeOwnFile } from "./sqlite-file.ts";
import type { SqlitePlace } from "./sqlite-place.ts";
import { isEmpty, migrate } from "./sqlite-tables.ts";
import { takeRows, type Known } from "./sqlite-rows.ts";
import type { Batch, Changes, PlacedText, Store, Unreadable, Written } from "./store.ts";

/** Which database, and how it is watched. */
export interface SqliteOptions {
  readonly place: SqlitePlace;
  /** How often it is asked whether somebody else has written. */
  readonly pollMilliseconds?: number;
  /** How long a lock of somebody else is waited for. */
  readonly busyMilliseconds?: number;
  /** How large the database may grow, in SQLite's pages; as large as the disk unless said otherwise. */
  readonly mostPages?: number;
}

/** Opens a database; nothing is read yet. */
export function openSqliteStore({ place, pollMilliseconds = 2000, busyMilliseconds = 5000, mostPages }: SqliteOptions): Store {
  const where = place.kind === "memory" ? "the in-memory database" : `the database \`${place.path}\``;
  const setting = place.kind === "memory" ? "" : ` (setting ${place.setting})`;
  let known: { readonly policies: Known; readonly schemas: Known } = { policies: new Map(), schemas: new Map() };
  let database: Database | undefined;
  /** What SQLite counts up when another connection writes; undefined: read everything. */
  let version: number | undefined;
  let unreadable: readonly Unreadable[] = [];
  let poll: NodeJS.Timeout | undefined;
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
    // The writes of another database may bear the same numbers.
    known = { policies: withoutWrites(known.policies), schemas: withoutWrites(known.schemas) };
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
    version = undefined;
    // Of the moment before: what was put in its place since then is seen the next time.
    if (place.kind === "file") inode = number === 0 ? fileNumber(place.path) : number;
    return opened;
  };
  const close = (): void => {
    database?.close();
    database = undefined;
  };

  /** Runs with the connection. One that failed is not used again: it may go on to hold an old state of the database. */
  const run = async <T>(what: "read" | "written", work: (database: Database) => T): Promise<T> => {
    try {
      // Somebody may have put another file in its place, such as a backup.
      if (place.kind === "file" && database !== undefined && fileNumber(place.path) !== inode) close();
      database ??= await open();
      return work(database);
    } catch (error) {
      if (place.kind === "file") close();
      if (isRefusal(error)) throw error;
      throw refusal(`${where} cannot be ${what}: ${reason(error)}${setting}`);
    }
  };

  const read = (): Promise<Changes> =>
    run("read", (opened) => {
      const now = dataVersion(opened);
      if (now === version) return { changed: [], removed: [], changedSchemas: [], removedSchemas: [], unreadable };
      // In one transaction, so that policies and schemas are of the same moment.
      const [policies, schemas] = inTransaction(
        opened,
        () => [takeRows(opened, "policy", known.policies), takeRows(opened, "attribute_schema", known.schemas)] as const,
        "DEFERRED",
      );
      known = { policies: policies.now, schemas: schemas.now };
      unreadable = [...policies.unreadable, ...schemas.unreadable.map(({ path, message }) => ({ path: schemaPath(path), message }))];
      version = now;
      return {
        changed: policies.changed.map(({ id, definition, updatedAt }) => sourceOf({ path: id, text: definition }, updatedAt)),
        removed: policies.removed,
        changedSchemas: schemas.changed.map(({ id, definition }) => ({ path: id, text: definition })),
        removedSchemas: schemas.removed,
        unreadable,
      };
    });

  const write = (batch: Batch, at: number): Promise<Written> =>
    run("written", (opened) =>
      inTransaction(opened, () => {
        if (dataVersion(opened) !== version) return "stale";
        writeBatch(opened, batch, at);
        version = undefined; // our own writes do not count up what SQLite counts
        remember(known.policies, batch.putPolicies, batch.removePolicies);
        remember(known.schemas, batch.putSchemas, batch.removeSchemas);
        return "written";
      }),
    );

  return {
    name: where,
    read,
    watch: (changed) => {
      poll = setInterval(changed, pollMilliseconds);
      poll.unref();
    },
    readOnly: place.kind === "file" && place.readOnly ? `${where} is opened for reading only${setting}` : undefined,
    placeOf: (key) => key,
    schemaIdProblem: () => undefined,
    sourceOf,
    write,
    purgeRevisions: (keepLast) => run("written", (opened) => inTransaction(opened, () => purge(opened, keepLast))),
    close: async () => {
      clearInterval(poll);
      close();
    },
  };
}

const sourceOf = ({ path, text }: PlacedText, at: number): Source => ({
  path,
  text,
  attributes: { driver: "sqlite3", update_ts: new Date(at).toISOString() },
});

function inTransaction<T>(database: Database, work: () => T, mode: "IMMEDIATE" | "DEFERRED" = "IMMEDIATE"): T {
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

/** No number is the same as this one, so all is read again; and what is not there is missed. */
const withoutWrites = (known: Known): Known => new Map([...known.keys()].map((id) => [id, Number.NaN]));

/** Between two writes nothing may lie beside a database: a file that is put in its place would be damaged by what is left of the one before. */
function leaveWal(database: Database): void {
  try {
    database.pragma("journal_mode = DELETE");
  } catch (error) {
    // While others have it open as earlier versions of this program did, so do we.
    if (!(codeOf(error) ?? "").startsWith("SQLITE_BUSY")) throw error;
  }
}

function dataVersion(database: Database): number {
  const rows: unknown = database.pragma("data_version");
  const [row]: readonly unknown[] = Array.isArray(rows) ? rows : [];
  return typeof row === "object" && row !== null && "data_version" in row ? Number(row.data_version) : 0;
}

/** What was put is known to be there, so that it is missed when somebody removes it; and its row is still to be read. */
function remember(known: Known, put: readonly PlacedText[], removed: readonly string[]): void {
  for (const { path } of put) known.set(path, unread);
  for (const path of removed) known.delete(path);
}

/** The number of no write. */
const unread = -1;

function writeBatch(database: Database, batch: Batch, at: number): void {
  const change = nextChange(database);
  const find = database.prepare("SELECT 1 FROM policy WHERE id = ?").raw();
  const revise = database.prepare("INSERT INTO policy_revision (action, id, definition, at) VALUES (?, ?, ?, ?)");
  const put = database.prepare(
    `INSERT INTO policy (id, definition, disabled, updated_at, change) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET definition = excluded.definition, disabled = excluded.disabled, updated_at = excluded.updated_at, change = excluded.change`,
  );
  const reviseLast = database.prepare(
    "INSERT INTO policy_revision (action, id, definition, at) SELECT 'DELETE', id, definition, ? FROM policy WHERE id = ?",
  );
  const remove = database.prepare("DELETE FROM policy WHERE id = ?");
  for (const { path, text, isDisabled } of batch.putPolicies) {
    revise.run(find.get(path) === undefined ? "INSERT" : "UPDATE", path, text, at);
    put.run(path, text, isDisabled ? 1 : 0, at, change);
  }
  for (const path of batch.removePolicies) {
    reviseLast.run(at, path);
    remove.run(path);
  }
  const putSchema = database.prepare(
    `INSERT INTO attribute_schema (id, definition, updated_at, change) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET definition = excluded.definition, updated_at = excluded.updated_at, change = excluded.change`,
  );
  for (const { path, text } of batch.putSchemas) putSchema.run(path, text, at, change);
  const removeSchema = database.prepare("DELETE FROM attribute_schema WHERE id = ?");
  for (const path of batch.removeSchemas) removeSchema.run(path);
}

/** Whatever the ids are: also of policies that are gone. */
const purge = (database: Database, keepLast: number): number =>
  database
    .prepare(
      `DELETE FROM policy_revision WHERE revision_id IN (
         SELECT revision_id FROM (
           SELECT revision_id, row_number() OVER (PARTITION BY id ORDER BY revision_id DESC) AS age FROM policy_revision
         ) WHERE age > ?)`,
    )
    .run(keepLast).changes;

/** Never the same twice, also when the row that had the last one is gone. */
function nextChange(database: Database): number {
  database.exec("UPDATE write_count SET writes = writes + 1");
  const row: unknown = database.prepare("SELECT CAST(writes AS INTEGER) FROM write_count").raw().get();
  return Number(Array.isArray(row) ? row[0] : undefined);
}

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
