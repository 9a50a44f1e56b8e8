/** Prints tables for people and for `cut`: padded columns separated by tabs. */
import { printable } from "./printable.ts";

/** Prints rows below their headings, which can be left out. */
export function printTable(headings: readonly string[], rows: readonly (readonly string[])[], withHeadings = true): string {
  const lines = [...(withHeadings ? [headings] : []), ...rows.map((row) => row.map(printable))];
  const widths = headings.map((_, at) => lines.reduce((widest, row) => Math.max(widest, [...(row[at] ?? "")].length), 0));
  return lines
    .map((row) => `${row.map((cell, at) => (at === row.length - 1 ? cell : padded(cell, widths[at] ?? 0))).join("\t")}\n`)
    .join("");
}

const padded = (cell: string, width: number): string => cell + " ".repeat(Math.max(0, width - [...cell].length));
