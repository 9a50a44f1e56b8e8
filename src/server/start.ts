/** Brings a server up, everything in order, and takes it down again: health first, then what has begun, then the rest. */
import { printAddress, type Address } from "../config/address.ts";
import { openAdmin } from "../admin/admin.ts";
import { openAuditLog } from "../audit/audit-log.ts";
import type { Environment } from "../config/environment.ts";
import type { Config } from "../config/settings.ts";
import { openEngine } from "../engine.ts";
import { fetchText } from "../fetch-text.ts";
import { openLive } from "../live.ts";
import { openCallLog } from "../observe/call-log.ts";
import { openDebugLog } from "../observe/debug-log.ts";
import type { HttpExchange } from "../observe/events.ts";
import { logOf, type Log } from "../observe/log.ts";
import { openMetrics } from "../observe/metrics.ts";
import { openTelemetry } from "../observe/telemetry/index.ts";
import { openHealth } from "./health.ts";
import { storageOf } from "../store/storage.ts";
import { openTls } from "./tls.ts";
import { openUnread } from "./unread.ts";

/** A server that listens. */
export interface RunningServer {
  readonly http: Address;
  readonly grpc: Address;
  /** Finishes what has begun, within `server.shutdownTimeout`. */
  readonly stop: () => Promise<void>;
}

/** Starts a server; rejects with a refusal when the configuration cannot be followed on this machine. */
export async function startServer(config: Config, parentLog: Log, environment: Environment = {}): Promise<RunningServer> {
  const log = logOf(parentLog, "authz.server");
  /** How to close what is open, the first opened last. */
  const open: (() => unknown)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of open.toReversed()) await close();
  };
  try {
    const tls = openTls(config, logOf(parentLog, "authz.tls"));
    if (tls !== undefined) open.push(tls.close);
    const metrics = openMetrics(config);
    const debugLog = openDebugLog(parentLog);
    const telemetry = await openTelemetry(environment, { metrics, log: logOf(parentLog, "authz.otel") });
    open.push(() => telemetry.close(5000));
    const { beginSpan, traceId } = telemetry;
    const auditLog = await openAuditLog(config, {
      log: logOf(parentLog, "authz.audit"),
      failed: metrics.auditFailed,
      oversized: metrics.auditOversized,
      traceId,
    });
    open.push(auditLog.close);
    const engine = openEngine(config, {
      log: logOf(parentLog, "authz.engine"),
      ...(auditLog.records !== undefined && { records: auditLog.records }),
      ...(beginSpan !== undefined && { beginSpan }),
      ...(telemetry.carried !== undefined && { fetchText: telemetry.carried(fetchText) }),
    });
    open.push(engine.close);
    metrics.watchCaches(engine.caches);
    const schemas = { allowRefs: config["schema.allowRefs"], allowedHosts: config["schema.allowedHosts"] };
    const opening = openLive({
      storage: storageOf(config),
      engine,
      log: logOf(parentLog, "authz.policies"),
      observe: (event) => {
        metrics.store(event);
        debugLog.store(event);
        telemetry.store?.(event);
      },
      ...(config["schema.enforcement"] !== "none" && { schemas }),
      ...(config["server.adminAPI.enabled"] && { administered: schemas }),
    });
    // What serves is loaded while another thread reads and compiles.
    const [live, { openService }, { openGrpc }, { openHttp }] = await Promise.all([
      opening,
      import("./service.ts"),
      import("./grpc.ts"),
      import("./http.ts"),
    ]);
    open.push(live.close);
    const admin = openAdmin(config, { live, auditLog, log: logOf(parentLog, "authz.admin") });
    const health = openHealth({ admin: config["server.adminAPI.enabled"] });
    const service = openService({
      engine,
      admin,
      observers: [
        openCallLog({ log: parentLog, payloads: config["server.logRequestPayloads"], traceId }),
        ...(metrics.enabled ? [metrics] : []),
        auditLog,
        ...(telemetry.observer === undefined ? [] : [telemetry.observer]), // the last: until then the others know the trace
      ],
      log: parentLog,
    });
    const exchanged = (exchange: HttpExchange): void => {
      metrics.http(exchange);
      debugLog.http(exchange);
    };
    const unread = openUnread();
    const grpc = openGrpc(config, { service, health, unread, ...(tls !== undefined && { tls }) });
    open.push(() => grpc.close(0));
    const http = await openHttp(config, {
      service,
      health,
      metrics: { ...metrics, http: exchanged },
      grpc,
      unread,
      log: parentLog,
      ...(tls !== undefined && { tls }),
    });
    open.push(() => http.close(0));

    const fileMode = config["server.udsFileMode"];
    const grpcAddress = await grpc.listen({
      name: "gRPC",
      setting: "server.grpcListenAddr",
      address: config["server.grpcListenAddr"],
      fileMode,
    });
    log.info(`gRPC is served at ${printAddress(grpcAddress)}`);
    const httpAddress = await http.listen({
      name: "HTTP",
      setting: "server.httpListenAddr",
      address: config["server.httpListenAddr"],
      fileMode,
    });
    log.info(`HTTP is served at ${printAddress(httpAddress)}`);
    health.set("SERVING");

    const stop = async (): Promise<void> => {
      const within = config["server.shutdownTimeout"];
      log.info("shutting down");
      health.set("NOT_SERVING");
      await Promise.all([http.close(within), grpc.close(within)]);
      await closeAll();
      log.info("shutdown complete");
    };
    return { http: httpAddress, grpc: grpcAddress, stop };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
