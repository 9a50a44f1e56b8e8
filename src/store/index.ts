/** The stores that there are, by the name that `storage.driver` gives them. */
import type { Config } from "../config/settings.ts";
import { openDiskStore } from "./disk.ts";
import type { Store } from "./store.ts";

/** What a store is opened with: plain data, because it travels to the thread that compiles. */
export type StorageConfig = Pick<Config, "storage.driver" | "storage.disk.directory" | "storage.disk.watchForChanges">;

const drivers: { readonly [Driver in StorageConfig["storage.driver"]]: (config: StorageConfig) => Store } = {
  disk: (config) => openDiskStore({ directory: config["storage.disk.directory"] }),
};

/** Opens the configured store. */
export function openStore(config: StorageConfig): Store {
  return drivers[config["storage.driver"]](config);
}

/** Should changes of the store be taken in while serving? */
export function watches(config: StorageConfig): boolean {
  return config["storage.disk.watchForChanges"];
}
