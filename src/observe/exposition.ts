/** Prints metric readings in the text format of Prometheus (exposition format 0.0.4). */
import type { Labels, Reading, Sample } from "./instrument.ts";

/** The content type of this format. */
export const expositionType = "text/plain; version=0.0.4; charset=utf-8";

/** Prints readings, each with HELP and TYPE. */
export function printExposition(readings: readonly Reading[]): string {
  return readings.map(printReading).join("");
}

function printReading({ name, type, help, samples }: Reading): string {
  const lines = samples.flatMap((sample) => printSample(name, sample));
  return `# HELP ${name} ${escape(help)}\n# TYPE ${name} ${type}\n${lines.map((line) => `${line}\n`).join("")}`;
}

function printSample(name: string, { labels, value, distribution }: Sample): readonly string[] {
  if (distribution === undefined) return [`${name}${printLabels(labels)} ${printNumber(value)}`];
  let below = 0;
  const buckets = [...distribution.bounds, Infinity].map((bound, index) => {
    below += distribution.counts[index] ?? 0;
    return `${name}_bucket${printLabels({ ...labels, le: printNumber(bound) })} ${below}`;
  });
  return [...buckets, `${name}_sum${printLabels(labels)} ${printNumber(distribution.sum)}`, `${name}_count${printLabels(labels)} ${value}`];
}

function printLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escape(value).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escape = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");

function printNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
