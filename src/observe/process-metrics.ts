/** Metrics of the process and of Node: memory, garbage collection, event loop, CPU, descriptors (D10). */
import { collectDefaultMetrics, Registry, type MetricObjectWithValues, type MetricValue } from "prom-client";
import type { Labels, Reading, Sample } from "./instrument.ts";

/** One registry per process, shared by all its servers, because collecting cannot be stopped. */
let watching: Registry | undefined;

/** Starts collecting, once per process; returns a function that reads the metrics. */
export function openProcessMetrics(): () => Promise<readonly Reading[]> {
  const registry = (watching ??= watch());
  return async () => (await registry.getMetricsAsJSON()).map(readingOf);
}

/**
 * The interval in milliseconds of samples of the event loop's lag. Each sample wakes the process; ten times as many would cost 8 ms per
 * second.
 */
const lookMilliseconds = 100;

function watch(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lookMilliseconds });
  return registry;
}

type Value = MetricValue<string>;

function readingOf({ name, help, type, values }: MetricObjectWithValues<Value>): Reading {
  // The declared type is an enum of numbers; the objects contain strings.
  const word = String(type);
  if (word === "histogram") return { name, help, type: "histogram", samples: histogramSamples(name, values) };
  const samples = values.map(({ value, labels }) => ({ labels: texts(labels), value }));
  const told = name.startsWith(lagName) ? samples.flatMap(lateness(name)) : samples;
  return { name, help, type: word === "counter" ? "counter" : "gauge", samples: told };
}

const lagName = "nodejs_eventloop_lag_";
/** These metrics contain the interval in addition to the lag. */
const between: ReadonlySet<string> = new Set(["min", "max", "mean", "p50", "p90", "p99"].map((word) => `${lagName}${word}_seconds`));

/**
 * Subtracts the interval from the lag metrics. Metrics without a sample since the last reading are dropped: their mean is NaN, and
 * their minimum is absurdly large.
 */
const lateness =
  (name: string) =>
  (sample: Sample): readonly Sample[] => {
    const { labels, value } = sample;
    if (Number.isNaN(value) || value > Number.MAX_SAFE_INTEGER / 1e9) return [];
    return [between.has(name) ? { labels, value: Math.max(0, value - lookMilliseconds / 1000) } : sample];
  };

/** Buckets are listed separately, with cumulative counts. */
function histogramSamples(name: string, values: readonly Value[]): readonly Sample[] {
  const found = new Map<string, { labels: Labels; bounds: number[]; below: number[]; sum: number; count: number }>();
  for (const value of values) {
    const { le, ...labels } = texts(value.labels);
    const key = JSON.stringify(labels);
    const one = found.get(key) ?? { labels, bounds: [], below: [], sum: 0, count: 0 };
    found.set(key, one);
    const part = "metricName" in value ? value.metricName : name;
    if (part === `${name}_sum`) one.sum = value.value;
    else if (part === `${name}_count`) one.count = value.value;
    else if (le !== undefined && le !== "+Inf") {
      one.bounds.push(Number(le));
      one.below.push(value.value);
    }
  }
  return [...found.values()].map(({ labels, bounds, below, sum, count }) => ({
    labels,
    value: count,
    distribution: { bounds, sum, counts: [...below, count].map((upTo, index, all) => upTo - (all[index - 1] ?? 0)) },
  }));
}

function texts(labels: Value["labels"]): Labels {
  return Object.fromEntries(Object.entries(labels).map(([label, value]) => [label, String(value)]));
}
