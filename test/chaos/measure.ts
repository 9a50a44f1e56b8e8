/** What the steady server of a store takes up over time, and whether its metrics tell the truth. */
import type { Exposition } from "../src/exposition.ts";
import { pause, type Play } from "./play.ts";

/** One look at a process. */
export interface Sample {
  /** Seconds since the beginning. */
  readonly at: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly descriptors: number;
}

/** All of them, and what the metrics said in the end. */
export interface Measured {
  readonly samples: readonly Sample[];
  readonly final: { readonly syncErrors: number; readonly secondsSinceRefresh: number; readonly secondsApart: number } | undefined;
}

/** Looks now and then until nobody asks any more. */
export async function measure(play: Play, seconds: number, take: (so: Measured) => void): Promise<void> {
  const began = performance.now();
  const samples: Sample[] = [];
  const every = Math.max(1000, (seconds * 1000) / 200);
  let metrics: Exposition | undefined;
  while (!play.stage.isDone()) {
    metrics = await play.steady.metrics();
    samples.push({
      at: (performance.now() - began) / 1000,
      residentBytes: metrics.value("process_resident_memory_bytes"),
      heapBytes: metrics.value("nodejs_heap_size_used_bytes"),
      descriptors: play.steady.descriptors(),
    });
    take({ samples, final: metrics && finalOf(metrics) });
    await pause(every);
  }
}

function finalOf(metrics: Exposition): NonNullable<Measured["final"]> {
  return {
    syncErrors: metrics.value("authz_dev_store_sync_error_count"),
    secondsSinceRefresh: Date.now() / 1000 - metrics.value("authz_dev_store_last_successful_refresh") / 1000,
    secondsApart: metrics.value("authz_dev_store_seconds_since_agreement"),
  };
}

/** How a quantity changed once everything was warm: the middle of its first and of its last part, and the slope of a line through it. */
export interface Trend {
  readonly first: number;
  readonly last: number;
  /** A minute. */
  readonly slope: number;
}

/** Returns the trend of a quantity after the first quarter. */
export function trendOf(samples: readonly Sample[], quantity: (sample: Sample) => number): Trend {
  const warm = samples.slice(Math.floor(samples.length / 4));
  const part = Math.max(1, Math.floor(warm.length / 4));
  const values = warm.map(quantity);
  const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / Math.max(1, list.length);
  const [meanAt, meanValue] = [mean(warm.map(({ at }) => at)), mean(values)];
  const spread = warm.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0);
  const together = warm.reduce((sum, sample) => sum + (sample.at - meanAt) * (quantity(sample) - meanValue), 0);
  return { first: middle(values.slice(0, part)), last: middle(values.slice(-part)), slope: spread === 0 ? 0 : (together / spread) * 60 };
}

const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
