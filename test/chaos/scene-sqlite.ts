/** A SQLite database under chaos: rows that a second process writes, and locks that it holds. */
import Libsql from "libsql";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { schemaFile, type Files } from "./policy-set.ts";
import type { Scene } from "./scene.ts";

/** Opens a database without policies. */
export async function openSqliteScene(): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "authz-chaos-sqlite-"));
  const file = join(folder, "store.db");
  const tables = openSqliteStore({ place: { kind: "file", path: file, readOnly: false, setting: "storage.sqlite.path" } });
  await tables.read();
  await tables.close();
  /** Writes what is different, and nothing else. */
  const makeRows = (database: Libsql.Database, now: Files, next: Files): void => {
    for (const path of now.keys()) if (!next.has(path)) database.prepare(`DELETE FROM ${tableOf(path)} WHERE id = ?`).run(idOf(path));
    for (const [path, { text }] of next) {
      if (now.get(path)?.text === text) continue;
      const disabled = path === schemaFile ? "" : ", disabled = 0";
      database
        .prepare(
          `INSERT INTO ${tableOf(path)} (id, definition, updated_at, change) VALUES (?, ?, ?, (SELECT writes FROM write_count))
           ON CONFLICT (id) DO UPDATE SET definition = excluded.definition, updated_at = excluded.updated_at, change = excluded.change${disabled}`,
        )
        .run(idOf(path), text, Date.now());
    }
  };
  return {
    name: "sqlite",
    isAdministered: true,
    settings: () => ({ "storage.driver": "sqlite", "storage.sqlite.path": file }),
    publish: async (now, next, step) => {
      const done = step(next);
      const database = new Libsql(file, { timeout: 20_000 });
      try {
        database.exec("BEGIN IMMEDIATE; UPDATE write_count SET writes = writes + 1");
        makeRows(database, now, next);
        database.exec("COMMIT");
      } finally {
        database.close();
      }
      done();
    },
    pathOf: (resource, by) => (by.chance(0.7) ? `resource.${resource}.vdefault` : `moved/${resource}`),
    administeredPathOf: (resource) => `resource.${resource}.vdefault`,
    troubles: [
      {
        name: "somebody writes for long",
        isWritable: false,
        begin: async () => lock(file, "BEGIN IMMEDIATE"),
      },
      {
        name: "somebody holds the database locked",
        isWritable: false,
        begin: async () => lock(file, "BEGIN EXCLUSIVE"),
      },
      {
        name: "the file is gone",
        isWritable: false,
        begin: async () => {
          renameSync(file, `${file}-away`);
          return async () => renameSync(`${file}-away`, file);
        },
      },
    ],
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

const tableOf = (path: string): string => (path === schemaFile ? "attribute_schema" : "policy");
const idOf = (path: string): string => (path === schemaFile ? "shape.json" : path);

async function lock(file: string, how: string): Promise<() => Promise<void>> {
  const database = new Libsql(file, { timeout: 20_000 });
  database.exec(how);
  return async () => {
    database.exec("ROLLBACK");
    database.close();
  };
}
