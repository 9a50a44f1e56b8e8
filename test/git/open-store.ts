/** Opens git stores for tests as the program does: from settings. */
import { settings } from "../../src/config/settings.ts";
import { openGitStore } from "../../src/store/git.ts";
import type { StorageConfig } from "../../src/store/storage.ts";
import type { Changes, Store } from "../../src/store/store.ts";
import type { GitServer } from "./server.ts";

/** Settings of the git store, by the last part of their keys: `{ branch: "main", "https.password": "x" }`. */
export type GitSettings = { readonly [key: string]: string | number };

/** Returns the settings of a store that reads what a server serves. */
export const settingsFor = (server: GitServer, checkoutDir: string): GitSettings => ({
  protocol: server.caCert === "" ? "http" : "https",
  url: server.url,
  "https.username": server.username,
  "https.password": server.password,
  checkoutDir,
  operationTimeout: 10_000,
});

/** Returns the whole settings of a store. */
export function gitConfig(given: GitSettings): StorageConfig {
  const defaults = Object.entries(settings).map(([key, row]) => [key, row.default] as const);
  const asked = Object.entries(given).map(([key, value]) => [`storage.git.${key}`, value] as const);
  // Every setting of the table with a value of its type, which entries cannot say.
  return Object.fromEntries([...defaults, ["storage.driver", "git"] as const, ...asked]) as unknown as StorageConfig;
}

/** Opens a store. */
export const openStore = (given: GitSettings): Store => openGitStore(gitConfig(given));

/** What a reading found, briefly: texts by path, and what is gone or cannot be read. */
export function seen({ changed, removed, changedSchemas, removedSchemas, unreadable }: Changes): object {
  const texts = (sources: Changes["changed"]): object =>
    Object.fromEntries(sources.map(({ path, text }) => [path, text.length > 40 ? `${text.length} characters` : text]));
  return {
    ...(changed.length > 0 && { changed: texts(changed) }),
    ...(removed.length > 0 && { removed: removed.toSorted() }),
    ...(changedSchemas.length > 0 && { changedSchemas: texts(changedSchemas) }),
    ...(removedSchemas.length > 0 && { removedSchemas: removedSchemas.toSorted() }),
    ...(unreadable.length > 0 && { unreadable: Object.fromEntries(unreadable.map(({ path, message }) => [path, message])) }),
  };
}
