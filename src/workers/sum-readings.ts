/** Merges the metric readings of several processes into those of one server. */
import type { Distribution, Reading, Sample } from "../observe/instrument.ts";

type Merge = (one: number, other: number) => number;

const sum: Merge = (one, other) => one + other;
const first: Merge = (one) => one;

/** Metrics that are not summed, and how they are merged. A gauge of our own is set by one process only, or by each for its share. */
const others: ReadonlyMap<string, Merge> = new Map([
  ["process_start_time_seconds", first],
  ["process_max_fds", first],
  ["nodejs_version_info", first],
  ["nodejs_eventloop_lag_min_seconds", Math.min],
]);
const mergeOf = (name: string): Merge => others.get(name) ?? (name.startsWith("nodejs_eventloop_lag") ? Math.max : sum);

/** Merges the readings of processes. Where values cannot be added, that of the first process is used. */
export function sumReadings(processes: readonly (readonly Reading[])[]): readonly Reading[] {
  const found = new Map<string, { readonly reading: Reading; readonly samples: Map<string, Sample> }>();
  for (const reading of processes.flat()) {
    const known = found.get(reading.name) ?? { reading, samples: new Map<string, Sample>() };
    found.set(reading.name, known);
    const merge = mergeOf(reading.name);
    for (const sample of reading.samples) {
      const key = keyOf(sample);
      const before = known.samples.get(key);
      known.samples.set(key, before === undefined ? sample : merged(before, sample, merge));
    }
  }
  return [...found.values()].map(({ reading, samples }) => ({ ...reading, samples: [...samples.values()] }));
}

const keyOf = ({ labels }: Sample): string => JSON.stringify(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/**
 * Returns a function that keeps counters from decreasing. Sums of fractions depend on the order of addition, for example after a worker
 * has ended, and may become slightly smaller; a reader would take that for a counter reset.
 */
export function openMonotonicCounters(): (readings: readonly Reading[]) => readonly Reading[] {
  const shown = new Map<string, number>();
  const grown = (key: string, value: number): number => {
    const most = Math.max(value, shown.get(key) ?? value);
    shown.set(key, most);
    return most;
  };
  return (readings) =>
    readings.map((reading) => {
      if (reading.type === "gauge") return reading;
      const samples = reading.samples.map((sample) => {
        const key = reading.name + keyOf(sample);
        const { distribution } = sample;
        if (distribution === undefined) return { ...sample, value: grown(key, sample.value) };
        return { ...sample, distribution: { ...distribution, sum: grown(key, distribution.sum) } };
      });
      return { ...reading, samples };
    });
}

/** Returns the readings of an ended process that still count: all but gauges. */
export const withoutGauges = (readings: readonly Reading[]): readonly Reading[] => readings.filter(({ type }) => type !== "gauge");

function merged(one: Sample, other: Sample, merge: Merge): Sample {
  const value = merge(one.value, other.value);
  if (one.distribution === undefined || other.distribution === undefined) return { ...one, value };
  return { ...one, value, distribution: together(one.distribution, other.distribution) };
}

/** The bounds are equal, because they come from the same table. */
function together(one: Distribution, other: Distribution): Distribution {
  return {
    bounds: one.bounds,
    counts: one.counts.map((count, index) => count + (other.counts[index] ?? 0)),
    sum: one.sum + other.sum,
  };
}
