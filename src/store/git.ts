/** Policies and schemas in a git repository: the newest commit of a branch, read from the object store without a checkout. */
import { refusal } from "../refusal.ts";
import type { StorageConfig } from "./storage.ts";
import type { Store } from "./store.ts";

/** Opens a repository; nothing is fetched yet. */
export function openGitStore(config: StorageConfig): Store {
  throw refusal(`the store \`git\` is not there yet (${config["storage.git.url"]})`);
}
