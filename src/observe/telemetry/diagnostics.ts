/** Routes the diagnostics of the OpenTelemetry packages to our log, at debug level. */
import { diag, DiagLogLevel } from "@opentelemetry/api";
import { core } from "@opentelemetry/sdk-node";
import { messageOf } from "../../refusal.ts";
import type { Log } from "../log.ts";

/** Registers the one listener that the packages allow per process. Failed exports are logged elsewhere. */
export function listenToDiagnostics(log: Log): void {
  const debug = (...parts: readonly unknown[]): void =>
    log.debug(`OpenTelemetry says: ${parts.filter((part) => typeof part === "string").join(" ")}`);
  diag.setLogger(
    { error: debug, warn: debug, info: () => undefined, debug: () => undefined, verbose: () => undefined },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  core.setGlobalErrorHandler((error) => debug(typeof error === "string" ? error : messageOf(error)));
}
