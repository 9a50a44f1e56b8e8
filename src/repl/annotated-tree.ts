/** Prints the parts of an expression below each other, indented, with a text beside each. */
import { visible } from "../../compiler/print-diagnostics.ts";

/** One part of an expression, and what is printed beside it. */
export interface AnnotatedRow {
  readonly depth: number;
  readonly text: string;
  readonly note: string;
}

/** The greatest width of the column of parts. */
const maxTextWidth = 64;

/** Prints rows in two columns. */
export function printAnnotatedTree(rows: readonly AnnotatedRow[], separator = "  "): string {
  const texts = rows.map(({ depth, text }) => "  ".repeat(depth) + shorten(oneLine(text), Math.max(20, maxTextWidth - 2 * depth)));
  const width = Math.max(...texts.map((text) => text.length));
  return rows.map(({ note }, at) => `${(texts[at] ?? "").padEnd(width)}${separator}${note}`.trimEnd()).join("\n");
}

/** Joins an expression to one line. */
export const oneLine = (text: string): string => visible(text.trim().replaceAll(/\s*\n\s*/g, " "));

/** Truncates a text to fit beside others. */
const shorten = (text: string, maxLength: number): string => (text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text);
