/** Routes the diagnostics of the OpenTelemetry packages to our log, at debug level. */
import { diag, DiagLogLevel } from "@opentelemetry/api";
import { core } from "@opentelemetry/sdk-node";
import { messageOf } from "../../refusal.ts";
import type { Log } from "../log.ts";

/** Listens; they know one listener a process. Failed exports are told of elsewhere, in words of ours. */
export function listenToDiagnostics(log: Log): void {
  const debug = (...parts: readonly unknown[]): void =>
    log.debug(`OpenTelemetry says: ${parts.filter((part) => typeof part === "string").join(" ")}`);
  diag.setLogger(
    { error: debug, warn: debug, info: () => undefined, debug: () => undefined, verbose: () => undefined },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  core.setGlobalErrorHandler((error) => debug(typeof error === "string" ? error : messageOf(error)));
}
