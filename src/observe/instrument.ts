/** Instruments (counters, gauges, histograms): numbers held in memory, one for each combination of labels, read on demand. */
import type { MetricRow } from "./metric-table.ts";

/** The current state of a metric. */
export interface Reading {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** The current state for one combination of labels. */
export interface Sample {
  readonly labels: Labels;
  /** The value of a counter or gauge; for a histogram, the number of observations. */
  readonly value: number;
  readonly distribution?: Distribution;
}

/** Labels and their values. */
export interface Labels {
  readonly [label: string]: string;
}

/** The buckets of a histogram. */
export interface Distribution {
  /** Upper bounds, ascending and inclusive. */
  readonly bounds: readonly number[];
  /** The observations per bucket (not cumulative), and last those above every bound. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** A counter or gauge for one combination of labels. */
export interface NumberSeries {
  readonly add: (amount: number) => void;
  readonly set: (value: number) => void;
}

/** A histogram for one combination of labels. */
export interface HistogramSeries {
  readonly record: (value: number) => void;
}

/** A counter or a gauge. */
export interface CounterOrGauge {
  /** Returns the series for labels. It is always the same object, so hot code should keep it. */
  readonly with: (labels: Labels) => NumberSeries;
  readonly read: () => Reading;
}

/** A histogram. */
export interface Histogram {
  /** As for `CounterOrGauge`. */
  readonly with: (labels: Labels) => HistogramSeries;
  readonly read: () => Reading;
}

/** Opens a counter or gauge, at zero for every combination of labels in its row. */
export function openCounterOrGauge(row: MetricRow): CounterOrGauge {
  return open(row, openNumberSeries, ({ read }) => read());
}

/** Opens a histogram, empty for every combination of labels in its row. */
export function openHistogram(row: MetricRow): Histogram {
  return open(
    row,
    () => openHistogramSeries(row.bounds),
    ({ read }) => read(),
  );
}

function openNumberSeries(): NumberSeries & { readonly read: () => Pick<Sample, "value"> } {
  let value = 0;
  return {
    add: (amount) => void (value += amount),
    set: (given) => void (value = given),
    read: () => ({ value }),
  };
}

type ReadableHistogramSeries = HistogramSeries & { readonly read: () => Pick<Sample, "value" | "distribution"> };

/** Recording must not allocate, because it happens with every call. */
function openHistogramSeries(bounds: readonly number[]): ReadableHistogramSeries {
  const edges = Float64Array.from(bounds);
  const counts = new Float64Array(edges.length + 1);
  const sum = new Float64Array(1);
  return {
    record: (value) => {
      let low = 0;
      let high = edges.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (value <= (edges[middle] ?? 0)) high = middle;
        else low = middle + 1;
      }
      counts[low] = (counts[low] ?? 0) + 1;
      sum[0] = (sum[0] ?? 0) + value;
    },
    read: () => ({
      value: counts.reduce((total, count) => total + count, 0),
      distribution: { bounds, counts: [...counts], sum: sum[0] ?? 0 },
    }),
  };
}

function open<T>(
  row: MetricRow,
  make: () => T,
  read: (one: T) => Omit<Sample, "labels">,
): { with: (labels: Labels) => T; read: () => Reading } {
  const children = new Map<string, { readonly labels: Labels; readonly one: T }>();
  const names = Object.keys(row.labels);
  const child = (labels: Labels): T => {
    const key = JSON.stringify(names.map((name) => labels[name]));
    const known = children.get(key);
    if (known !== undefined) return known.one;
    const one = make();
    children.set(key, { labels, one });
    return one;
  };
  for (const labels of combinations(row)) child(labels);
  return {
    with: child,
    read: () => ({
      name: row.name,
      type: row.type,
      help: row.help,
      samples: [...children.values()].map(({ labels, one }) => ({ labels, ...read(one) })),
    }),
  };
}

/** Returns every combination of the label values in a row; none when the values of a label are not listed. */
function combinations(row: MetricRow): readonly Labels[] {
  let found: readonly Labels[] = [{}];
  for (const [label, values] of Object.entries(row.labels)) {
    if (typeof values === "string") return [];
    found = found.flatMap((labels) => values.map((value) => ({ ...labels, [label]: value })));
  }
  return found;
}
