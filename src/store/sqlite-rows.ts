/** Reads the new and changed rows of a table, whatever other programs have written into it. */
import type { Database } from "libsql";
import type { Unreadable } from "./store.ts";

/** The rows of a table as last read: id -> number of the write that made it. */
export type Known = Map<string, number>;

/** The contents of a table, compared with the last reading. */
export interface RowChanges {
  readonly now: Known;
  readonly changed: readonly Row[];
  readonly removed: readonly string[];
  readonly unreadable: readonly Unreadable[];
}

/** One row. */
export interface Row {
  readonly id: string;
  readonly definition: string;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

/** Reads a table. */
export function readRows(database: Database, table: "policy" | "attribute_schema", before: Known): RowChanges {
  const now: Known = new Map();
  const changed: Row[] = [];
  const unreadable: Unreadable[] = [];
  // Read as bytes: the driver truncates strings at NUL, and crashes on invalid UTF-8.
  const all = database.prepare(`SELECT rowid, CAST(id AS BLOB), CAST(change AS INTEGER) FROM ${table}`).raw();
  const one = database.prepare(`SELECT CAST(definition AS BLOB), CAST(updated_at AS INTEGER) FROM ${table} WHERE rowid = ?`).raw();
  for (const [rowid, idBytes, change] of all.all() as [number, unknown, number][]) {
    const id = textOf(idBytes);
    const refuse = (message: string): void => void unreadable.push({ path: id ?? `${table}[${rowid}]`, message });
    if (id === undefined) refuse("the id of the row is not UTF-8 text");
    else if (now.has(id)) refuse("there is another row of this id");
    else if (before.get(id) === change) now.set(id, change);
    else {
      const [bytes, updatedAt] = one.get(rowid) as [unknown, number];
      const definition = textOf(bytes);
      if (definition === undefined) refuse("the definition in the row is not UTF-8 text");
      else {
        now.set(id, change);
        changed.push({ id, definition, updatedAt: Math.min(Math.max(updatedAt, 0), latest) });
      }
    }
  }
  // While an id is in doubt, none of its rows counts; the one that is left is read again.
  for (const { path } of unreadable) if (now.has(path)) now.set(path, doubted);
  const certain = changed.filter(({ id }) => !Number.isNaN(now.get(id)));
  return { now, changed: certain, removed: [...before.keys()].filter((id) => !now.has(id)), unreadable };
}

/** Equals no number of a write, not even itself. */
const doubted = Number.NaN;

/** The largest time that a Date can represent, in milliseconds. */
const latest = 8.64e15;

function textOf(bytes: unknown): string | undefined {
  try {
    return Buffer.isBuffer(bytes) ? new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) : undefined;
  } catch {
    return undefined; // not UTF-8
  }
}
