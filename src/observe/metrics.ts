/** The metrics of a server: feeds events to the instruments, and reads them on demand. */
import type { Config } from "../config/settings.ts";
import { openCallMetrics } from "./call-metrics.ts";
import type { CacheState, CallObserver, HttpExchange, StoreEvent } from "./events.ts";
import { expositionType, printExposition } from "./exposition.ts";
import { openCounterOrGauge, openHistogram, type Reading } from "./instrument.ts";
import { metricTable as table } from "./metric-table.ts";
import { openProcessMetrics } from "./process-metrics.ts";
import { openStoreMetrics } from "./store-metrics.ts";

/** The metrics of a server. */
export interface Metrics extends CallObserver {
  /** False when metrics are disabled: nothing is counted then. */
  readonly enabled: boolean;
  readonly http: (exchange: HttpExchange) => void;
  readonly store: (event: StoreEvent) => void;
  readonly auditFailed: (kind: "access" | "decision") => void;
  readonly auditOversized: (kind: "access" | "decision") => void;
  /** Called when a worker has exited unexpectedly. */
  readonly workerLost: () => void;
  /** Registers the function that returns the state of the caches; it is called at each reading. */
  readonly watchCaches: (caches: () => readonly CacheState[]) => void;
  /** Returns every metric, with those of the process last. */
  readonly collect: () => Promise<readonly Reading[]>;
  /** Returns the Prometheus text; `contentType` is its type. */
  readonly text: () => Promise<string>;
  readonly contentType: string;
}

/** The settings of metrics. */
export type MetricsConfig = Pick<Config, "storage.driver" | "server.metricsEnabled" | "telemetry.enabled">;

/** Opens metrics, at zero; `answers` tells whether this process answers calls. */
export function openMetrics(config: MetricsConfig, answers = true): Metrics {
  if (!config["server.metricsEnabled"] || !config["telemetry.enabled"]) return noMetrics;
  const calls = openCallMetrics();
  const store = openStoreMetrics(driverLabel(config["storage.driver"]));
  const audit = openAuditMetrics();
  const caches = openCacheMetrics();
  const [workers, workersLost] = [openCounterOrGauge(table.workers), openCounterOrGauge(table.workersLostCount)];
  workers.with({}).set(answers ? 1 : 0);
  const unmoved = [openHistogram(table.planLatency), openCounterOrGauge(table.hubConnected)];
  const processReadings = openProcessMetrics();
  const order = new Map(Object.values(table).map(({ name }, index) => [name, index]));

  const collect = async (): Promise<readonly Reading[]> => {
    const ours = [...calls.read(), ...store.read(), ...audit.read(), ...caches.read()];
    ours.push(...[workers, workersLost, ...unmoved].map((one) => one.read()));
    ours.sort((left, right) => (order.get(left.name) ?? 0) - (order.get(right.name) ?? 0));
    return [...ours, ...(await processReadings())];
  };
  return {
    enabled: true,
    end: calls.end,
    http: calls.http,
    store: store.event,
    auditFailed: audit.failed,
    auditOversized: audit.oversized,
    workerLost: () => workersLost.with({}).add(1),
    watchCaches: caches.watch,
    collect,
    text: async () => printExposition(await collect()),
    contentType: expositionType,
  };
}

const driverLabel = (driver: Config["storage.driver"]): string => (driver === "sqlite" || driver === "sqlite3" ? "db" : driver);

const noMetrics: Metrics = {
  enabled: false,
  end: () => undefined,
  http: () => undefined,
  store: () => undefined,
  auditFailed: () => undefined,
  auditOversized: () => undefined,
  workerLost: () => undefined,
  watchCaches: () => undefined,
  collect: async () => [],
  text: async () => "",
  contentType: expositionType,
};

interface AuditMetrics {
  readonly failed: (kind: "access" | "decision") => void;
  readonly oversized: (kind: "access" | "decision") => void;
  readonly read: () => readonly Reading[];
}

function openAuditMetrics(): AuditMetrics {
  const errors = openCounterOrGauge(table.auditErrorCount);
  const oversized = openCounterOrGauge(table.auditOversizedEntryCount);
  return {
    failed: (kind) => errors.with({ kind }).add(1),
    oversized: (kind) => oversized.with({ kind }).add(1),
    read: () => [errors.read(), oversized.read()],
  };
}

interface CacheMetrics {
  readonly watch: (caches: () => readonly CacheState[]) => void;
  readonly read: () => readonly Reading[];
}

function openCacheMetrics(): CacheMetrics {
  const accesses = openCounterOrGauge(table.cacheAccessCount);
  const live = openCounterOrGauge(table.cacheLiveObjects);
  const max = openCounterOrGauge(table.cacheMaxSize);
  let states: () => readonly CacheState[] = () => [];
  return {
    watch: (caches) => void (states = caches),
    read: () => {
      for (const state of states()) {
        const { kind } = state;
        accesses.with({ kind, result: "hit" }).set(state.hits);
        accesses.with({ kind, result: "miss" }).set(state.misses);
        live.with({ kind }).set(state.live);
        max.with({ kind }).set(state.max);
      }
      return [accesses, live, max].map((one) => one.read());
    },
  };
}
