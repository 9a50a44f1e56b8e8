/** Reads the location of the database from its two settings. */
import { resolve } from "node:path";
import type { Config } from "../config/settings.ts";
import { refusal } from "../refusal.ts";

/** An in-memory database, or a file. */
export type SqlitePlace =
  | { readonly kind: "memory" }
  | { readonly kind: "file"; readonly path: string; readonly readOnly: boolean; readonly setting: string };

const memory = ":memory:";

/** Returns the location; throws a refusal when the settings name none, or two. */
export function sqlitePlace(config: Pick<Config, "storage.sqlite.path" | "storage.sqlite3.dsn">): SqlitePlace {
  const path = config["storage.sqlite.path"];
  const dsn = config["storage.sqlite3.dsn"];
  if (path !== "" && dsn !== "") throw refusal("say where the database is once: storage.sqlite.path and storage.sqlite3.dsn are both set");
  if (path === memory) return { kind: "memory" };
  // Made absolute, so that libsql does not take a name for a remote URL.
  if (path !== "") return { kind: "file", path: resolve(path), readOnly: false, setting: "storage.sqlite.path" };
  if (dsn !== "") return placeOfDsn(dsn);
  throw refusal("the sqlite store needs a database file: set storage.sqlite.path (`:memory:` for one that ends with the process)");
}

/** Parses `file:/path?_fk=true`, `/path?mode=ro`, `:memory:?_fk=true`. Other parameters are for other drivers, and ignored. */
function placeOfDsn(dsn: string): SqlitePlace {
  const [before = "", query = ""] = dsn.split("?", 2);
  const mode = new URLSearchParams(query).get("mode");
  const isUrl = /^file:/i.test(before);
  const written = isUrl ? before.slice("file:".length).replace(/^\/\/(?=\/)/, "") : before;
  if (written === memory || mode === "memory") return { kind: "memory" };
  const path = isUrl ? decoded(written) : written;
  if (path === undefined || path === "" || path.startsWith("//"))
    // The query is not quoted, because it may hold a password.
    throw refusal(`\`${before}\` names no database file: write file:/path/to/authz.db (setting storage.sqlite3.dsn)`);
  return { kind: "file", path: resolve(path), readOnly: mode === "ro", setting: "storage.sqlite3.dsn" };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
