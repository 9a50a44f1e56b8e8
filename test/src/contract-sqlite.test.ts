/** The sqlite store keeps the contract of stores, and of those that can be changed. */
import Libsql from "libsql";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { SqlitePlace } from "../../src/store/sqlite-place.ts";
import { storeContract } from "./store-contract.ts";
import type { Content, Place } from "./store-place.ts";
import { writesContract } from "./store-writes-contract.ts";

const inFile = (path: string): SqlitePlace => ({ kind: "file", path, readOnly: false, setting: "storage.sqlite.path" });

async function openPlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "authz-sqlite-"));
  const file = join(folder, "store.db");
  const tables = openSqliteStore({ place: inFile(file) });
  await tables.read();
  await tables.close();
  /** As another process would: through a connection of its own, with SQL. */
  const change = async (work: (database: Libsql.Database) => void): Promise<void> => {
    const database = new Libsql(file);
    try {
      database.exec("BEGIN IMMEDIATE; UPDATE write_count SET writes = writes + 1");
      work(database);
      database.exec("COMMIT");
    } finally {
      database.close();
    }
  };
  const makeRows = (database: Libsql.Database, table: string, texts: { readonly [id: string]: string }): void => {
    const kept = JSON.stringify(Object.keys(texts));
    database.prepare(`DELETE FROM ${table} WHERE id NOT IN (SELECT value FROM json_each(?))`).run(kept);
    const put = database.prepare(
      `INSERT INTO ${table} (id, definition, updated_at, change) VALUES (?, ?, 0, (SELECT writes FROM write_count))
       ON CONFLICT (id) DO UPDATE SET definition = excluded.definition, change = excluded.change WHERE definition <> excluded.definition`,
    );
    for (const [id, text] of Object.entries(texts)) put.run(id, text);
  };
  const publish = ({ policies, schemas = {} }: Content): Promise<void> =>
    change((database) => {
      makeRows(database, "policy", policies);
      makeRows(database, "attribute_schema", schemas);
    });
  return {
    folder,
    storage: { "storage.driver": "sqlite", "storage.sqlite.path": file },
    open: () => ({ kind: "policies", store: openSqliteStore({ place: inFile(file), pollMilliseconds: 20 }) }),
    publish,
    publishBroken: publish,
    broken: { kind: "broken", says: /album\.yaml:7:\d+/ },
    touch: () => change((database) => database.exec("UPDATE policy SET change = (SELECT writes FROM write_count)")),
    damage: async () => renameSync(file, `${file}-away`),
    repair: async () => renameSync(`${file}-away`, file),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

describe("sqlite", () => storeContract(openPlace));

describe("sqlite, changed", () => {
  let folder = "";
  writesContract({
    begin: () => void (folder = mkdtempSync(join(tmpdir(), "authz-sqlite-"))),
    open: () => openSqliteStore({ place: inFile(join(folder, "store.db")), busyMilliseconds: 50 }),
    path: (key) => key,
    end: () => rmSync(folder, { recursive: true, force: true }),
  });
});
