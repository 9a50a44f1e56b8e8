/** The settings of the store: what travels to the thread that compiles. */
import { isSetting, type Config } from "../config/settings.ts";

/** What a store is opened with: plain data. */
export type StorageConfig = Pick<Config, Extract<keyof Config, `storage.${string}`>>;

/** Takes the settings of the store out of all of them. */
export function storageOf(config: StorageConfig): StorageConfig {
  const entries = Object.entries(config).filter(([key]) => isSetting(key) && key.startsWith("storage."));
  // What was left out is exactly what the type leaves out.
  return Object.fromEntries(entries) as StorageConfig;
}
