/**
 * A store that is a SQLite database. Several processes may share the file. Only changed rows are read again; every row, if something was
 * written past this program.
 */
import type { Database } from "libsql";
import type { Source } from "../../compiler/source.ts";
import { schemaPath } from "./schema-paths.ts";
import { openConnection } from "./sqlite-connection.ts";
import type { SqlitePlace } from "./sqlite-place.ts";
import { readRows, type Known } from "./sqlite-rows.ts";
import type { Batch, Changes, PlacedText, Store, Unreadable, Written } from "./store.ts";

/** The database, and how it is watched. */
export interface SqliteOptions {
  readonly place: SqlitePlace;
  /** How often changes by other processes are looked for. */
  readonly pollMilliseconds?: number;
  /** How many milliseconds to wait for a lock of another process. */
  readonly busyMilliseconds?: number;
  /** The size limit in SQLite pages; default: none. */
  readonly maxPages?: number;
}

/** Opens a database; nothing is read yet. */
export function openSqliteStore({ place, pollMilliseconds = 2000, busyMilliseconds = 5000, maxPages }: SqliteOptions): Store {
  const where = place.kind === "memory" ? "the in-memory database" : `the database \`${place.path}\``;
  const setting = place.kind === "memory" ? "" : ` (setting ${place.setting})`;
  let known: { readonly policies: Known; readonly schemas: Known } = { policies: new Map(), schemas: new Map() };
  /** SQLite's data_version, which changes when another connection writes; undefined: read everything. */
  let version: number | undefined;
  /** How many writes had been counted at the last reading. */
  let writes = -1;
  /** How many times the file had been changed then, by whomever. */
  let commits = 0;
  let unreadable: readonly Unreadable[] = [];
  let poll: NodeJS.Timeout | undefined;
  const forgetWrites = (): void => void (known = { policies: withoutWrites(known.policies), schemas: withoutWrites(known.schemas) });
  const { run, close } = openConnection(
    { place, busyMilliseconds, maxPages, where, setting },
    {
      // The new database may contain writes with the same numbers.
      replaced: () => forgetWrites(),
      opened: () => (version = undefined),
    },
  );

  const read = (): Promise<Changes> =>
    run("read", (opened, inTransaction) => {
      const now = dataVersion(opened);
      if (now === version) return { changed: [], removed: [], changedSchemas: [], removedSchemas: [], unreadable };
      // One transaction, so that policies and schemas are consistent.
      const [policies, schemas] = inTransaction(() => {
        const [counted, committed] = [writesIn(opened), commitsIn(opened)];
        // Something that changed was not counted: it was written past this program, perhaps with the numbers of earlier writes.
        if (counted <= writes || committed - commits > counted - writes) forgetWrites();
        [writes, commits] = [counted, committed];
        return [readRows(opened, "policy", known.policies), readRows(opened, "attribute_schema", known.schemas)] as const;
      }, "DEFERRED");
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
    run("written", (opened, inTransaction) => {
      const written = inTransaction<Written>(() => {
        if (dataVersion(opened) !== version) return "stale";
        writeBatch(opened, batch, at);
        return "written";
      });
      if (written === "stale") return written;
      // Only now: a commit may fail, and what was forgotten for it would not be reported when another process removes it.
      version = undefined; // our own writes do not change data_version
      remember(known.policies, batch.putPolicies, batch.removePolicies);
      remember(known.schemas, batch.putSchemas, batch.removeSchemas);
      return written;
    });

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
    purgeRevisions: (keepLast) => run("written", (opened, inTransaction) => inTransaction(() => purge(opened, keepLast))),
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

/** Replaces all write numbers by NaN, which equals no number: every row is then read again, and missing ones are noticed. */
const withoutWrites = (known: Known): Known => new Map([...known.keys()].map((id) => [id, Number.NaN]));

function dataVersion(database: Database): number {
  const rows: unknown = database.pragma("data_version");
  const [row]: readonly unknown[] = Array.isArray(rows) ? rows : [];
  return typeof row === "object" && row !== null && "data_version" in row ? Number(row.data_version) : 0;
}

/** Records our own write. The row is known to exist, so that its removal will be noticed, and must still be read. */
function remember(known: Known, put: readonly PlacedText[], removed: readonly string[]): void {
  for (const { path } of put) known.set(path, unread);
  for (const path of removed) known.delete(path);
}

/** A number that no write has. */
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

/** Applies to all ids, also those of deleted policies. */
const purge = (database: Database, keepLast: number): number =>
  database
    .prepare(
      `DELETE FROM policy_revision WHERE revision_id IN (
         SELECT revision_id FROM (
           SELECT revision_id, row_number() OVER (PARTITION BY id ORDER BY revision_id DESC) AS age FROM policy_revision
         ) WHERE age > ?)`,
    )
    .run(keepLast).changes;

/** Returns a new write number. Numbers are never reused, even after the row with the last one is deleted. */
function nextChange(database: Database): number {
  database.exec("UPDATE write_count SET writes = writes + 1");
  return writesIn(database);
}

const writesIn = (database: Database): number => Number(cellIn(database, "SELECT CAST(writes AS INTEGER) FROM write_count"));

/**
 * Returns the change counter in the header of the file (SQLite's file format, 1.3.7): one more after each transaction that wrote. In WAL
 * mode, which is only that of other programs, it counts less.
 */
const commitsIn = (database: Database): number =>
  Number.parseInt(String(cellIn(database, "SELECT hex(substr(data, 25, 4)) FROM sqlite_dbpage WHERE pgno = 1")), 16);

function cellIn(database: Database, query: string): unknown {
  const row: unknown = database.prepare(query).raw().get();
  return Array.isArray(row) ? row[0] : undefined;
}
