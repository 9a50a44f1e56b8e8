/** The error for an expression that does not compile: every problem, with the line at fault. */
import type { Issue } from "../../compiler/cel/issue.ts";
import { printFrame, visible } from "../../compiler/print-diagnostics.ts";
import { positionAt } from "../../compiler/source.ts";

/** One problem with its position: UTF-16 offsets, and line and column, which both begin at 1. The column counts characters. */
export interface PlacedIssue extends Issue {
  readonly line: number;
  readonly column: number;
}

/** Thrown when an expression is invalid; `message` shows every problem below the line at fault. */
export class CompilationError extends Error {
  override readonly name = "CompilationError";
  readonly issues: readonly PlacedIssue[];

  constructor(text: string, issues: readonly Issue[]) {
    super(issues.map((issue) => printIssue(text, issue)).join("\n\n"));
    this.issues = placed(text, issues);
  }
}

/** Adds lines and columns to problems. */
export const placed = (text: string, issues: readonly Issue[]): readonly PlacedIssue[] => {
  const source = { path: "expression", text };
  return issues.map((issue) => ({ ...issue, ...positionAt(source, issue.start) }));
};

function printIssue(text: string, issue: Issue): string {
  const source = { path: "expression", text };
  const { line, column } = positionAt(source, issue.start);
  const frame = text === "" ? { gutter: "", lines: [] } : printFrame({ source, start: issue.start, end: issue.end });
  const hint = issue.hint === undefined ? [] : [`${frame.gutter} = hint: ${visible(issue.hint)}`];
  return [`${line}:${column}: ${visible(issue.message)}`, ...frame.lines, ...hint].join("\n");
}
