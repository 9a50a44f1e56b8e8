/** The folder of the user's cache, where stores keep their last good copies. */
import { isAbsolute, join } from "node:path";
import { environment } from "../config/environment.ts";

/** Returns the folder for a kind of copy, such as `bundle`; undefined when the user has no home. */
export function userCacheFolder(kind: string): string | undefined {
  const { XDG_CACHE_HOME: cache = "", HOME: home = "" } = environment;
  // What is not absolute is to be ignored, says the specification of base directories.
  if (isAbsolute(cache)) return join(cache, "authz", kind);
  return isAbsolute(home) ? join(home, ".cache", "authz", kind) : undefined;
}
