/** The stores that there are, by the name that `storage.driver` gives them. */
import type { Config } from "../config/settings.ts";
import { openDiskStore } from "./disk.ts";
import { sqlitePlace } from "./sqlite-place.ts";
import { openSqliteStore } from "./sqlite.ts";
import type { Store } from "./store.ts";

/** What a store is opened with: plain data, because it travels to the thread that compiles. */
export type StorageConfig = Pick<
  Config,
  | "storage.driver"
  | "storage.disk.directory"
  | "storage.disk.watchForChanges"
  | "storage.disk.readOnly"
  | "storage.sqlite.path"
  | "storage.sqlite3.dsn"
>;

const sqlite = (config: StorageConfig): Store => openSqliteStore({ place: sqlitePlace(config) });

const drivers: { readonly [Driver in StorageConfig["storage.driver"]]: (config: StorageConfig) => Store } = {
  disk: (config) => openDiskStore({ directory: config["storage.disk.directory"], readOnly: config["storage.disk.readOnly"] }),
  sqlite,
  sqlite3: sqlite,
};

/** Opens the configured store; throws a refusal when the settings cannot be followed. */
export function openStore(config: StorageConfig): Store {
  return drivers[config["storage.driver"]](config);
}

/** Should changes of the store be taken in while serving? */
export function watches(config: StorageConfig): boolean {
  return config["storage.driver"] !== "disk" || config["storage.disk.watchForChanges"];
}

/** Is what was stored lost with the thread that opened the store? */
export function endsWithItsThread(config: StorageConfig): boolean {
  return config["storage.driver"] !== "disk" && sqlitePlace(config).kind === "memory";
}
