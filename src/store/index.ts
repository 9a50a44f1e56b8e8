/** All stores, by their names in `storage.driver`. */
import type { BundleStore } from "./bundle-store.ts";
import { sqlitePlace } from "./sqlite-place.ts";
import type { StorageConfig } from "./storage.ts";
import type { Store } from "./store.ts";
import type { Trials } from "../trial/trial.ts";

/** A store of policies, which are compiled here, or of a bundle, which was compiled elsewhere. */
export type OpenedStore = { readonly kind: "policies"; readonly store: Store } | { readonly kind: "bundle"; readonly store: BundleStore };

type Open = (config: StorageConfig, trials?: Trials) => Promise<OpenedStore>;

const ofPolicies =
  (open: (config: StorageConfig) => Promise<Store>): Open =>
  async (config) => ({ kind: "policies", store: await open(config) });
const sqlite = ofPolicies(async (config) => (await import("./sqlite.ts")).openSqliteStore({ place: sqlitePlace(config) }));

/** Each store is imported on demand, so that unused ones are not loaded. */
const drivers: { readonly [Driver in StorageConfig["storage.driver"]]: Open } = {
  disk: ofPolicies(async (config) => {
    const { "storage.disk.directory": directory, "storage.disk.readOnly": readOnly } = config;
    return (await import("./disk.ts")).openDiskStore({ directory, setting: "storage.disk.directory", readOnly });
  }),
  git: ofPolicies(async (config) => (await import("./git.ts")).openGitStore(config)),
  sqlite,
  sqlite3: sqlite,
  bundle: async (config, trials) => ({ kind: "bundle", store: (await import("./bundle.ts")).openBundleStore(config, trials) }),
};

/**
 * Opens the configured store; rejects with a refusal when the settings are invalid. With `trials`, bundles are tried when they are
 * read.
 */
export function openStore(config: StorageConfig, trials?: Trials): Promise<OpenedStore> {
  return drivers[config["storage.driver"]](config, trials);
}

/** Returns whether changes of the store are picked up while serving. */
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

/** Returns whether the contents are lost when the thread that opened the store ends. */
export function endsWithItsThread(config: StorageConfig): boolean {
  const isSqlite = config["storage.driver"] === "sqlite" || config["storage.driver"] === "sqlite3";
  return isSqlite && sqlitePlace(config).kind === "memory";
}
