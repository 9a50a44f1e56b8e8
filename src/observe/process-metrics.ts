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

function watch(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

type Value = MetricValue<string>;

function readingOf({ name, help, type, values }: MetricObjectWithValues<Value>): Reading {
  // The types are numbers in the declarations and words in the objects.
  const word = String(type);
  if (word === "histogram") return { name, help, type: "histogram", samples: histogramSamples(name, values) };
  const samples = values.map(({ value, labels }) => ({ labels: texts(labels), value }));
  return { name, help, type: word === "counter" ? "counter" : "gauge", samples };
}

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
