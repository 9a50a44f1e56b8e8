/** Names where the policies came from, as entries record it. */
import { resolve } from "node:path";
import type { Config } from "../config/settings.ts";

/** The settings it goes by. */
export type PolicySourceConfig = Pick<Config, "storage.driver" | "storage.disk.directory">;

/** Returns the JSON text of a PolicySource. */
export function policySourceOf(config: PolicySourceConfig): string {
  switch (config["storage.driver"]) {
    case "disk":
      return JSON.stringify({ disk: { directory: resolve(config["storage.disk.directory"]) } });
    case "sqlite":
    case "sqlite3":
      return JSON.stringify({ database: { driver: "DRIVER_SQLITE3" } });
  }
}
