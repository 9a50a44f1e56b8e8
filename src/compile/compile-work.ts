/** The configuration -> what the thread that compiles is given. */
import type { CompileWork } from "./compile-thread.ts";
import type { Config } from "../config/settings.ts";
import { storageOf } from "../store/storage.ts";

/** Reads where policies come from, and whether anybody looks at schemas or changes the store. */
export function compileWorkOf(config: Config): CompileWork {
  const schemas = { allowRefs: config["schema.allowRefs"], allowedHosts: config["schema.allowedHosts"] };
  return {
    storage: storageOf(config),
    ...(config["schema.enforcement"] !== "none" && { schemas }),
    ...(config["server.adminAPI.enabled"] && { administered: schemas }),
    ...(config["compile.cacheDir"] !== "" && { cacheDir: config["compile.cacheDir"], cacheTrust: config["compile.cacheTrust"] }),
  };
}
