/** The settings of the store, as they are sent to the compile thread. */
import { isSettingKey, type Config } from "../config/settings.ts";

/** The settings of the store: plain data. */
export type StorageConfig = Pick<Config, Extract<keyof Config, `storage.${string}`>>;

/** Selects the settings of the store. */
export function storageOf(config: StorageConfig): StorageConfig {
  const entries = Object.entries(config).filter(([key]) => isSettingKey(key) && key.startsWith("storage."));
  // The filter matches the type.
  return Object.fromEntries(entries) as StorageConfig;
}
