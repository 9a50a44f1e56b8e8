/** Prints the parts of an expression below each other, indented, with a text beside each. */
import { visible } from "../../compiler/print-diagnostics.ts";

/** One line of an outline. */
export interface OutlineRow {
  readonly depth: number;
  readonly left: string;
  readonly right: string;
}

/** The greatest width of the left column. */
const widest = 64;

/** Prints rows in two columns. */
export function printOutline(rows: readonly OutlineRow[], separator = "  "): string {
  const left = rows.map(({ depth, left }) => "  ".repeat(depth) + shorten(oneLine(left), Math.max(20, widest - 2 * depth)));
  const width = Math.max(...left.map((text) => text.length));
  return rows.map(({ right }, at) => `${(left[at] ?? "").padEnd(width)}${separator}${right}`.trimEnd()).join("\n");
}

/** Joins an expression to one line. */
export const oneLine = (text: string): string => visible(text.trim().replaceAll(/\s*\n\s*/g, " "));

/** Truncates a text to fit beside others. */
const shorten = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
