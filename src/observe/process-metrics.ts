/** Metrics of the process and of Node: memory, garbage collection, event loop, CPU, descriptors (D10). */
import { collectDefaultMetrics, Registry, type MetricObjectWithValues, type MetricValue } from "prom-client";
import type { Labels, Reading, Sample } from "./instrument.ts";

/** They are the process's own, however many servers it holds, and what watches for them cannot be undone. */
let watching: Registry | undefined;

/** Starts to watch the process, once, and returns how its metrics are read. */
export function openProcessMetrics(): () => Promise<readonly Reading[]> {
  const registry = (watching ??= watch());
  return async () => (await registry.getMetricsAsJSON()).map(readingOf);
}

/** Milliseconds between samples of the event loop's lag: each sample wakes the process, and ten times as many cost 8 ms a second. */
const lookMilliseconds = 100;

function watch(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lookMilliseconds });
  return registry;
}

type Value = MetricValue<string>;

function readingOf({ name, help, type, values }: MetricObjectWithValues<Value>): Reading {
  // The types are numbers in the declarations and words in the objects.
  const word = String(type);
  if (word === "histogram") return { name, help, type: "histogram", samples: histogramSamples(name, values) };
  const samples = values.map(({ value, labels }) => ({ labels: texts(labels), value }));
  const told = name.startsWith(lagName) ? samples.flatMap(lateness(name)) : samples;
  return { name, help, type: word === "counter" ? "counter" : "gauge", samples: told };
}

const lagName = "nodejs_eventloop_lag_";
/** They come as the time between two looks; the others as what they say. */
const between: ReadonlySet<string> = new Set(["min", "max", "mean", "p50", "p90", "p99"].map((word) => `${lagName}${word}_seconds`));

/** Turns a reading of the event loop's timer into its lag; leaves out what no sample stands behind since the last reading: the mean is NaN then, and the minimum centuries. */
const lateness =
  (name: string) =>
  (sample: Sample): readonly Sample[] => {
    const { labels, value } = sample;
    if (Number.isNaN(value) || value > Number.MAX_SAFE_INTEGER / 1e9) return [];
    return [between.has(name) ? { labels, value: Math.max(0, value - lookMilliseconds / 1000) } : sample];
  };

/** Buckets come one by one, each with everything below it. */
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
