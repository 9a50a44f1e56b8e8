/** The cache directory of the user, where stores keep their last good copies. */
import { isAbsolute, join } from "node:path";
import { environment } from "../config/environment.ts";

/** Returns the directory for a kind of copy, such as `bundle`; undefined when the user has no home directory. */
export function userCacheFolder(kind: string): string | undefined {
  const { XDG_CACHE_HOME: cache = "", HOME: home = "" } = environment;
  // The XDG specification says that a relative path is to be ignored.
  if (isAbsolute(cache)) return join(cache, "authz", kind);
  return isAbsolute(home) ? join(home, ".cache", "authz", kind) : undefined;
}
