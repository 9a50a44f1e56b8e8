/** The error for an expression that does not compile: every problem, with the line at fault. */
import type { Issue } from "../../compiler/cel/issue.ts";
import { printFrame, visible } from "../../compiler/print-diagnostics.ts";
import { positionAt } from "../../compiler/source.ts";

/** One problem, placed by UTF-16 offsets, and by line and column: both from 1, the column in characters. */
export interface PlacedIssue extends Issue {
  readonly line: number;
  readonly column: number;
}

/** The expression is wrong; `message` shows every problem under the line at fault. */
export class CompilationError extends Error {
  override readonly name = "CompilationError";
  readonly issues: readonly PlacedIssue[];

  constructor(text: string, issues: readonly Issue[]) {
    super(issues.map((issue) => printIssue(text, issue)).join("\n\n"));
    this.issues = placed(text, issues);
  }
}

/** Adds line and column to problems. */
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
