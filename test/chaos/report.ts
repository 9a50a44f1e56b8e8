/** What a run came to, in a table, and what is wrong with it besides what clients saw. */
import { trendOf } from "./measure.ts";
import type { Played } from "./run.ts";

const MiB = 2 ** 20;

/** Returns the table. */
export function printTable(played: readonly Played[]): string {
  const rows: readonly (readonly string[])[] = [
    ["", ...played.map(({ name }) => name)],
    ...(["requests", "commits", "administered", "breakages", "troubles", "restarts", "refusedStarts", "turnedAway"] as const).map(
      (what) => [what.replace(/[A-Z]/, (letter) => ` ${letter.toLowerCase()}`), ...played.map(({ counts }) => String(counts[what]))],
    ),
    ["in force after p50", ...played.map(({ delays }) => milliseconds(delays, 0.5))],
    ["in force after p99", ...played.map(({ delays }) => milliseconds(delays, 0.99))],
    ["in force after max", ...played.map(({ delays }) => milliseconds(delays, 1))],
    ["sync errors", ...played.map(({ final }) => String(final?.syncErrors ?? "-"))],
    ["resident first", ...played.map(({ samples }) => mebibytes(trendOf(samples, (each) => each.residentBytes).first))],
    ["resident last", ...played.map(({ samples }) => mebibytes(trendOf(samples, (each) => each.residentBytes).last))],
    ["resident a minute", ...played.map(({ samples }) => mebibytes(trendOf(samples, (each) => each.residentBytes).slope))],
    ["heap first", ...played.map(({ samples }) => mebibytes(trendOf(samples, (each) => each.heapBytes).first))],
    ["heap last", ...played.map(({ samples }) => mebibytes(trendOf(samples, (each) => each.heapBytes).last))],
    ["descriptors first", ...played.map(({ samples }) => String(trendOf(samples, (each) => each.descriptors).first))],
    ["descriptors last", ...played.map(({ samples }) => String(trendOf(samples, (each) => each.descriptors).last))],
  ];
  return rows.map(([what = "", ...cells]) => what.padEnd(20) + cells.map((cell) => cell.padStart(14)).join("")).join("\n");
}

const mebibytes = (bytes: number): string => `${(bytes / MiB).toFixed(1)} MiB`;

function milliseconds(values: readonly number[], part: number): string {
  const value = values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];
  return value === undefined ? "-" : `${Math.round(value)} ms`;
}

/** What is wrong with what was measured: memory or descriptors that grow, metrics that do not tell what was done. */
export function judgeMeasured({ name, samples, final, counts }: Played): readonly string[] {
  const wrong: string[] = [];
  const resident = trendOf(samples, (each) => each.residentBytes);
  if (resident.last > resident.first * 1.3 + 40 * MiB)
    wrong.push(`${name}: memory grew from ${mebibytes(resident.first)} to ${mebibytes(resident.last)}`);
  const heap = trendOf(samples, (each) => each.heapBytes);
  if (heap.last > heap.first * 1.5 + 25 * MiB)
    wrong.push(`${name}: the heap grew from ${mebibytes(heap.first)} to ${mebibytes(heap.last)}`);
  const descriptors = trendOf(samples, (each) => each.descriptors);
  if (descriptors.last > descriptors.first + 10) wrong.push(`${name}: descriptors grew from ${descriptors.first} to ${descriptors.last}`);
  if (counts.breakages > 3 && final?.syncErrors === 0) wrong.push(`${name}: ${counts.breakages} breakages, and no sync error was counted`);
  return wrong;
}
