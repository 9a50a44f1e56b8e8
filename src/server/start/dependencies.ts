/** Opens what answers calls in one process: engine, audit log and tokens below its transports, then the transports themselves. */
import { openAdmin } from "../../admin/admin.ts";
import type { CheckCredentials } from "../../admin/credentials.ts";
import { openAuditLog, type AuditOptions } from "../../audit/audit-log.ts";
import type { Environment } from "../../config/environment.ts";
import type { Config } from "../../config/settings.ts";
import { openEngine, type Engine } from "../../engine.ts";
import { fetchText } from "../../outgoing/fetch-text.ts";
import type { Live } from "../../live.ts";
import type { StoreEvent } from "../../observe/events.ts";
import { openDebugLog } from "../../observe/debug-log.ts";
import { logOf, type Log } from "../../observe/log.ts";
import { openMetrics, type Metrics } from "../../observe/metrics.ts";
import { openTelemetry } from "../../observe/telemetry/index.ts";
import type { Closing } from "./closing.ts";
import type { Transports } from "./transports.ts";
import { openTls } from "../connections/tls.ts";
import type { KeyPair } from "../connections/tls-files.ts";

/** The options. */
export interface DependenciesOptions {
  readonly log: Log;
  readonly environment: Environment;
  /** Opens the sink for audit entries; by default the configured one. */
  readonly openSink?: AuditOptions["openSink"];
  /** Whether another process has already logged what is exported. */
  readonly exportIsKnown?: boolean;
  /** The TLS key pair that other processes of the server use. */
  readonly keyPair?: KeyPair;
}

/** What the transports depend on. */
export interface Dependencies {
  readonly engine: Engine;
  readonly metrics: Metrics;
  /** Reports store events to the observers. */
  readonly observeStore: (event: StoreEvent) => void;
  /** Opens the calls and both transports. */
  readonly openTransports: (over: TransportInputs) => Promise<Transports>;
}

/** What the calls use from outside. */
export interface TransportInputs {
  readonly live: Pick<Live, "ask">;
  /** The check of administrator credentials; by default the server's own. */
  readonly checkCredentials?: CheckCredentials;
  /** Returns the text for /_authz/metrics; by default that of this process. */
  readonly metricsText?: () => Promise<string>;
}

/** Opens everything, and registers it with `closing`. Rejects with a refusal when the configuration cannot be used. */
export async function openDependencies(config: Config, options: DependenciesOptions, closing: Closing): Promise<Dependencies> {
  const { log, environment, openSink, exportIsKnown = false, keyPair } = options;
  const tls = openTls(config, logOf(log, "authz.tls"), keyPair);
  if (tls !== undefined) closing.add(tls.close);
  const metrics = openMetrics(config);
  const debugLog = openDebugLog(log);
  const telemetry = await openTelemetry(environment, { metrics, log: logOf(log, "authz.otel"), isKnown: exportIsKnown });
  closing.add(() => telemetry.close(5000));
  const { beginSpan, traceId } = telemetry;
  const auditLog = await openAuditLog(config, {
    log: logOf(log, "authz.audit"),
    failed: metrics.auditFailed,
    oversized: metrics.auditOversized,
    traceId,
    ...(openSink !== undefined && { openSink }),
  });
  closing.add(auditLog.close);
  const engine = openEngine(config, {
    log: logOf(log, "authz.engine"),
    ...(auditLog.records !== undefined && { records: auditLog.records }),
    ...(beginSpan !== undefined && { beginSpan }),
    ...(telemetry.tracedFetch !== undefined && { fetchText: telemetry.tracedFetch(fetchText) }),
  });
  closing.add(engine.close);
  metrics.watchCaches(engine.caches);

  return {
    engine,
    metrics,
    observeStore: (event) => {
      metrics.store(event);
      debugLog.store(event);
      telemetry.store?.(event);
    },
    openTransports: async ({ live, checkCredentials, metricsText = metrics.text }) => {
      const { openTransports } = await import("./transports.ts");
      const adminLog = logOf(log, "authz.admin");
      const admin = openAdmin(config, { live, auditLog, log: adminLog, ...(checkCredentials !== undefined && { checkCredentials }) });
      return openTransports(
        config,
        {
          engine,
          admin,
          metrics: {
            ...metrics,
            text: metricsText,
            http: (exchange) => {
              metrics.http(exchange);
              debugLog.http(exchange);
            },
          },
          observers: [...(metrics.enabled ? [metrics] : []), auditLog],
          traceId,
          // Must be last, because the other observers need the trace.
          ...(telemetry.observer !== undefined && { last: telemetry.observer }),
          ...(tls !== undefined && { tls }),
          log,
        },
        closing,
      );
    },
  };
}
