/** Validates the metric readings that another process sends, before they are added to those of the rest. */
import type { Reading } from "../observe/instrument.ts";
import { metricTable, type MetricRow } from "../observe/metric-table.ts";

interface Fields {
  readonly [field: string]: unknown;
}

const table: ReadonlyMap<string, MetricRow> = new Map(Object.values(metricTable).map((row) => [row.name, row]));
const metricName = /^[a-zA-Z_:][\w:]*$/;
const labelName = /^[a-zA-Z_]\w*$/;

/**
 * Returns whether a value is a list of readings. False for another structure, for negative counts, and for a reading with the name of
 * one of our metrics that differs from that metric.
 */
export const areReadings = (said: unknown): said is readonly Reading[] => isListOf(said, isReading);

function isReading(said: unknown): boolean {
  if (!isPlain(said)) return false;
  const { name, type, help, samples } = said;
  if (typeof name !== "string" || !metricName.test(name) || typeof help !== "string") return false;
  const row = table.get(name);
  if (row !== undefined && row.type !== type) return false;
  if (type === "histogram") return isListOf(samples, (sample) => isLabelled(sample) && isSpread(sample, row?.bounds));
  if (type === "counter") return isListOf(samples, (sample) => isLabelled(sample) && isCount(sample["value"]));
  return type === "gauge" && isListOf(samples, (sample) => isLabelled(sample) && typeof sample["value"] === "number");
}

function isLabelled(said: unknown): said is Fields {
  if (!isPlain(said) || !isPlain(said["labels"])) return false;
  return Object.entries(said["labels"]).every(([label, value]) => labelName.test(label) && typeof value === "string");
}

/** Returns whether a sample is a valid histogram. Buckets are summed across processes, so their bounds must be the expected ones. */
function isSpread({ value, distribution }: Fields, expected: readonly number[] | undefined): boolean {
  if (!isPlain(distribution) || !isListOf(distribution["counts"], isCount) || !Number.isFinite(distribution["sum"])) return false;
  const { bounds, counts } = distribution;
  if (!isListOf(bounds, Number.isFinite) || counts.length !== bounds.length + 1) return false;
  const isSame = expected === undefined || (expected.length === bounds.length && expected.every((bound, at) => bound === bounds[at]));
  return isSame && counts.reduce((total, count) => total + count, 0) === value;
}

const isCount = (said: unknown): said is number => typeof said === "number" && Number.isFinite(said) && said >= 0;

/** Returns whether a value is a plain object. */
const isPlain = (said: unknown): said is Fields =>
  typeof said === "object" && said !== null && Object.getPrototypeOf(said) === Object.prototype;

/** Returns whether a value is an array, without holes, of such items. */
const isListOf = <T>(said: unknown, isOne: ((one: unknown) => one is T) | ((one: unknown) => boolean)): said is readonly T[] =>
  Array.isArray(said) && [...said].every((one) => isOne(one));
