/** The tables of the sqlite store, and migrations from earlier versions. */
import type { Database } from "libsql";
import { refusal } from "../refusal.ts";

/** The migrations, oldest first. A released one must never be changed. */
const migrations: readonly string[] = [
  `CREATE TABLE policy (
     id          TEXT PRIMARY KEY,              -- the policy's key: resource.album.vdefault/acme
     definition  TEXT NOT NULL,                 -- the policy as YAML or JSON
     disabled    INTEGER NOT NULL DEFAULT 0,
     updated_at  INTEGER NOT NULL,              -- milliseconds since 1970
     change      INTEGER NOT NULL               -- which write this is of; they count up
   );
   CREATE TABLE policy_revision (
     revision_id INTEGER PRIMARY KEY AUTOINCREMENT,
     action      TEXT NOT NULL CHECK (action IN ('INSERT', 'UPDATE', 'DELETE')),
     id          TEXT NOT NULL,
     definition  TEXT NOT NULL,                 -- as it was written; of a deletion, as it was last
     at          INTEGER NOT NULL
   );
   CREATE INDEX policy_revision_of ON policy_revision (id, revision_id);
   CREATE TABLE attribute_schema (
     id          TEXT PRIMARY KEY,
     definition  TEXT NOT NULL,
     updated_at  INTEGER NOT NULL,
     change      INTEGER NOT NULL
   );
   CREATE TABLE write_count (writes INTEGER NOT NULL);
   INSERT INTO write_count (writes) VALUES (0);`,
];

/** Identifies our databases in the file header: "auth". */
const applicationId = 0x61757468;

/** Returns whether a database has no tables, as an empty file. */
export const isEmpty = (database: Database): boolean => number(database, "SELECT count(*) AS tables FROM sqlite_schema", "tables") === 0;

/** Creates the tables or migrates them; throws a refusal when the database belongs to another program or a later version. */
export function migrate(database: Database, where: string): void {
  const mine = number(database, "PRAGMA application_id", "application_id") === applicationId;
  if (!mine && !isEmpty(database)) throw foreign(database, where);
  if (!mine) database.exec(`PRAGMA application_id = ${applicationId}`);
  database.exec("CREATE TABLE IF NOT EXISTS migration (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL)");
  const version = number(database, "SELECT CAST(coalesce(max(version), 0) AS INTEGER) AS version FROM migration", "version");
  if (version > migrations.length)
    throw refusal(
      `${where} was written by a later version of this program: its tables have version ${version}, we know ${migrations.length}`,
    );
  for (const [index, statements] of migrations.entries()) {
    if (index < version) continue;
    database.exec(statements);
    database.prepare("INSERT INTO migration (version, applied_at) VALUES (?, ?)").run(index + 1, Date.now());
  }
}

/** Returns the refusal for another program's database; for the reference's, it says how to export the policies. */
function foreign(database: Database, where: string): Error {
  const theirs = "SELECT count(*) AS tables FROM sqlite_schema WHERE type = 'table' AND name IN ('policy', 'attr_schema_defs')";
  if (number(database, theirs, "tables") < 2)
    return refusal(`${where} belongs to another program: its tables are not those of a policy store`);
  return refusal(
    `${where} holds policies as Cerbos keeps them: write them to a folder with \`cerbosctl store export\`, and put them into a new database with \`authzctl put\``,
  );
}

function number(database: Database, query: string, column: string): number {
  const row: unknown = database.prepare(query).get();
  const value: unknown = typeof row === "object" && row !== null ? Object.entries(row).find(([name]) => name === column)?.[1] : undefined;
  return Number(value ?? 0);
}
