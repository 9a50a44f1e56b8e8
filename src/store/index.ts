/** The stores that there are, by the name that `storage.driver` gives them. */
import { openBundleStore } from "./bundle.ts";
import type { BundleStore } from "./bundle-store.ts";
import { openDiskStore } from "./disk.ts";
import { openGitStore } from "./git.ts";
import { sqlitePlace } from "./sqlite-place.ts";
import { openSqliteStore } from "./sqlite.ts";
import type { StorageConfig } from "./storage.ts";
import type { Store } from "./store.ts";
import type { Trials } from "../trial/trial.ts";

/** A store holds policies, which are compiled here, or a bundle, which was compiled elsewhere. */
export type OpenedStore = { readonly kind: "policies"; readonly store: Store } | { readonly kind: "bundle"; readonly store: BundleStore };

const sqlite = (config: StorageConfig): Store => openSqliteStore({ place: sqlitePlace(config) });
const ofPolicies =
  (open: (config: StorageConfig) => Store) =>
  (config: StorageConfig): OpenedStore => ({ kind: "policies", store: open(config) });

const drivers: { readonly [Driver in StorageConfig["storage.driver"]]: (config: StorageConfig, trials?: Trials) => OpenedStore } = {
  disk: ofPolicies((config) => openDiskStore({ directory: config["storage.disk.directory"], readOnly: config["storage.disk.readOnly"] })),
  git: ofPolicies(openGitStore),
  sqlite: ofPolicies(sqlite),
  sqlite3: ofPolicies(sqlite),
  bundle: (config, trials) => ({ kind: "bundle", store: openBundleStore(config, trials) }),
};

/** Opens the configured store; throws a refusal when the settings cannot be followed. With `trials`, bundles are tried when they are read. */
export function openStore(config: StorageConfig, trials?: Trials): OpenedStore {
  return drivers[config["storage.driver"]](config, trials);
}

/** Should changes of the store be taken in while serving? */
export function watches(config: StorageConfig): boolean {
  switch (config["storage.driver"]) {
    case "disk":
      return config["storage.disk.watchForChanges"];
    case "git":
      return config["storage.git.updatePollInterval"] > 0;
    case "bundle":
      return config["storage.bundle.updatePollInterval"] > 0;
    case "sqlite":
    case "sqlite3":
      return true;
  }
}

/** Is what was stored lost with the thread that opened the store? */
export function endsWithItsThread(config: StorageConfig): boolean {
  const isSqlite = config["storage.driver"] === "sqlite" || config["storage.driver"] === "sqlite3";
  return isSqlite && sqlitePlace(config).kind === "memory";
}
