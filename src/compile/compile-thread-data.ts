/** Reads from the configuration the data that the compile thread is started with. */
import type { CompileThreadData } from "./compile-thread.ts";
import type { Config } from "../config/settings.ts";
import { storageOf } from "../store/storage.ts";

/** Returns where policies come from, and the rules for schemas if they are validated or administered. */
export function compileThreadData(config: Config): CompileThreadData {
  const schemas = { allowRefs: config["schema.allowRefs"], allowedHosts: config["schema.allowedHosts"] };
  return {
    storage: storageOf(config),
    ...(config["schema.enforcement"] !== "none" && { schemas }),
    ...(config["server.adminAPI.enabled"] && { administered: schemas }),
    ...(config["compile.cacheDir"] !== "" && { cacheDir: config["compile.cacheDir"], cacheTrust: config["compile.cacheTrust"] }),
  };
}
