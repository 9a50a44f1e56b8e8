/** Merges the metric readings of several processes into those of one server. */
import type { Distribution, Reading, Sample } from "../observe/instrument.ts";

type Merge = (one: number, other: number) => number;

const sum: Merge = (one, other) => one + other;
const first: Merge = (one) => one;

/** Metrics that are not summed, and how they are merged. Gauges of our own are held by one process, or by each for its part. */
const others: { readonly [name: string]: Merge } = {
  process_start_time_seconds: first,
  process_max_fds: first,
  nodejs_version_info: first,
  nodejs_eventloop_lag_min_seconds: Math.min,
};
const mergeOf = (name: string): Merge => others[name] ?? (name.startsWith("nodejs_eventloop_lag") ? Math.max : sum);

/** Adds up what processes count; the first is the one that speaks for all where nothing can be added. */
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
 * Opens a memory of what was shown. What only grows is never shown smaller than before: fractions that are added in
 * another order, as those of workers that are gone, may come to less in the last digit, and whoever reads a counter
 * takes that for a beginning from nothing.
 */
export function openGrowth(): (readings: readonly Reading[]) => readonly Reading[] {
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

/** What has been counted by a process that is gone still counts; what it held is gone with it. */
export const keptOf = (readings: readonly Reading[]): readonly Reading[] => readings.filter(({ type }) => type !== "gauge");

function merged(one: Sample, other: Sample, merge: Merge): Sample {
  const value = merge(one.value, other.value);
  if (one.distribution === undefined || other.distribution === undefined) return { ...one, value };
  return { ...one, value, distribution: together(one.distribution, other.distribution) };
}

/** The bounds are of one table, and so the same. */
function together(one: Distribution, other: Distribution): Distribution {
  return {
    bounds: one.bounds,
    counts: one.counts.map((count, index) => count + (other.counts[index] ?? 0)),
    sum: one.sum + other.sum,
  };
}
