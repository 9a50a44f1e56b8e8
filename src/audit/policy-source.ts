/** Describes the store of the policies (a PolicySource), for audit entries. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { maskAddressSecrets } from "../config/url-secrets.ts";
import type { Config } from "../config/settings.ts";

/** The settings that describe it. */
export type PolicySourceConfig = Pick<
  Config,
  | "storage.driver"
  | "storage.disk.directory"
  | "storage.git.url"
  | "storage.git.branch"
  | "storage.git.subDir"
  | "storage.bundle.path"
  | "storage.bundle.url"
>;

/** Returns the JSON of a PolicySource. */
export function policySourceOf(config: PolicySourceConfig): string {
  switch (config["storage.driver"]) {
    case "disk":
      return JSON.stringify({ disk: { directory: resolve(config["storage.disk.directory"]) } });
    case "git": {
      const { "storage.git.url": url, "storage.git.branch": branch, "storage.git.subDir": subdirectory } = config;
      return JSON.stringify({
        git: { repositoryUrl: maskAddressSecrets(url), branch, subdirectory: subdirectory === "" ? "." : subdirectory },
      });
    }
    case "bundle":
      return JSON.stringify({
        blob: { bucketUrl: maskAddressSecrets(config["storage.bundle.url"] || pathToFileURL(config["storage.bundle.path"]).href) },
      });
    case "sqlite":
    case "sqlite3":
      return JSON.stringify({ database: { driver: "DRIVER_SQLITE3" } });
  }
}
