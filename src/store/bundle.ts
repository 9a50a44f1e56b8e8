/** A precompiled bundle from a file or an https address. */
import { refusal } from "../refusal.ts";
import type { BundleStore } from "./bundle-store.ts";
import type { StorageConfig } from "./storage.ts";

/** Opens the place of a bundle; nothing is read yet. */
export function openBundleStore(config: StorageConfig): BundleStore {
  throw refusal(`the store \`bundle\` is not there yet (${config["storage.bundle.url"]})`);
}
