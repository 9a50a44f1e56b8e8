/** How a bench answers: a table for people, figures for programs, and whether the goals are met. */
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { isGiven, isQuick, valueOf } from "./flags.ts";

/** What is wanted of a figure: at most or at least so much. */
export interface Goal {
  readonly name: string;
  /** Undefined: not measured in this run, which is neither met nor missed. */
  readonly found: number | undefined;
  readonly most?: number;
  readonly least?: number;
}

/** The answer of a bench. */
export interface Report {
  readonly bench: string;
  /** Lines and tables as they are printed. */
  readonly text: string;
  /** The same as data. */
  readonly figures: unknown;
  readonly goals: readonly Goal[];
}

/** Prints the table, or with `--json` the figures instead; `--json=FILE` prints the table and writes the figures. Says by the exit code whether every goal that was measured is met. */
export function report({ bench, text, figures, goals }: Report): void {
  const missed = goals.filter((goal) => isMet(goal) === false);
  const [processor] = cpus();
  const machine = { node: process.version, processor: processor?.model, cores: availableParallelism(), load: loadavg()[0] };
  const judged = goals.map((goal) => ({ ...goal, met: isMet(goal) ?? null }));
  const json = JSON.stringify({ bench, at: new Date().toISOString(), machine, quick: isQuick, figures, goals: judged }, undefined, 2);
  const file = valueOf("json");
  if (isGiven("json") && file === undefined) console.log(json);
  else {
    console.log(text);
    if (isQuick) console.log("\na quick run: it shows that the bench works, and its figures mean nothing");
    else for (const goal of goals) console.log(lineOf(goal));
  }
  if (file !== undefined) writeFileSync(file, `${json}\n`);
  process.exitCode = missed.length === 0 || isQuick ? 0 : 1;
}

function isMet({ found, most, least }: Goal): boolean | undefined {
  if (found === undefined || Number.isNaN(found)) return undefined;
  return (most === undefined || found <= most) && (least === undefined || found >= least);
}

function lineOf(goal: Goal): string {
  const { name, found, most, least } = goal;
  const wanted = [most !== undefined ? [`at most ${most}`] : [], least !== undefined ? [`at least ${least}`] : []].flat().join(", ");
  const met = isMet(goal);
  const verdict = met === undefined ? "not measured" : met ? "PASS" : "MISS";
  return `${name}: ${met === undefined ? "-" : short(found ?? Number.NaN)}   goal ${wanted}: ${verdict}`;
}

/** A figure with three digits that count. */
export function short(figure: number | undefined): string {
  if (figure === undefined || !Number.isFinite(figure)) return "-";
  const size = Math.abs(figure);
  return size >= 1000 ? Math.round(figure).toLocaleString("en-GB") : figure.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** Rows under a heading: the first column to the left, the others to the right. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("   ")
        .trimEnd(),
    )
    .join("\n");
}

/** The middle one of some figures; the mean of the middle two. */
export function median(figures: readonly number[]): number {
  const sorted = figures.filter(Number.isFinite).toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}
