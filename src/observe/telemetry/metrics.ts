/** Exports the metrics of the server to a collector at an interval. */
import { core, metrics, type resources } from "@opentelemetry/sdk-node";
import { version } from "../../version.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { openDelivery } from "./delivery.ts";
import { openMetricExporter } from "./exporters.ts";
import type { MetricsPlan } from "./plan.ts";
import { metricDataOf } from "./readings.ts";

/** Starts exporting; returns functions to send the last state and stop. */
export async function sendMetrics(
  plan: MetricsPlan,
  { resource, metrics: source, log }: { readonly resource: resources.Resource; readonly metrics: Metrics; readonly log: Log },
): Promise<{ readonly shutdown: () => Promise<void>; readonly destroy: () => void }> {
  const timeoutMilliseconds = Math.min(plan.connection.timeoutMilliseconds, plan.timeoutMilliseconds);
  const connection = { ...plan.connection, timeoutMilliseconds };
  const { exporter, destroy } = await openMetricExporter(connection);
  const delivery = openDelivery("metrics", connection, log);
  // All counters were zero when the process started.
  const startTime = core.hrTime(0);
  const producer: metrics.MetricProducer = {
    collect: async () => {
      const data = metricDataOf(await source.collect(), { startTime, endTime: core.hrTime() });
      return { resourceMetrics: { resource, scopeMetrics: [{ scope: { name: "authz", version }, metrics: data }] }, errors: [] };
    },
  };
  const reader = new metrics.PeriodicExportingMetricReader({
    exporter: {
      export: delivery.watched((data: metrics.ResourceMetrics, done) => exporter.export(data, done)),
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
    },
    exportIntervalMillis: plan.intervalMilliseconds,
    exportTimeoutMillis: plan.timeoutMilliseconds,
    metricProducers: [producer],
  });
  const provider = new metrics.MeterProvider({ resource, readers: [reader] });
  return {
    shutdown: () => {
      delivery.close();
      return provider.shutdown();
    },
    destroy,
  };
}
