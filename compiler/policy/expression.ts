/** CEL text in a YAML scalar: parsed, with the way back from its offsets to the source's. */
import { parseOnce } from "../cel/parse-once.ts";
import type { Diagnostic, Report } from "../diagnostic.ts";
import type { Issue } from "../cel/issue.ts";
import { invariant } from "../../runtime/cel/error.ts";
import { scalarOffsets } from "../yaml/scalar-offset.ts";
import type { Placed } from "../yaml/shape.ts";
import type { ExpressionNode } from "./document.ts";

/** Parses the expression of a scalar. */
export function readExpression({ value: text, place }: Placed<string>, report: Report): ExpressionNode {
  invariant(place.node.kind === "scalar", "a text is read from a scalar");
  const { tree, issues } = parseOnce(text);
  const expression: ExpressionNode = {
    text,
    span: place.at,
    path: place.path,
    scalar: place.node,
    ...(tree && { tree }),
  };
  reportIssues(expression, issues, report);
  return expression;
}

/** Reports what is wrong with an expression: one diagnostic, as the reference counts them. */
export function reportIssues(expression: ExpressionNode, issues: readonly Issue[], report: Report): void {
  const [issue, ...others] = issues;
  if (issue === undefined) return;
  const diagnostic: Diagnostic = {
    code: "invalid-expression",
    severity: "error",
    span: expression.span,
    focus: focusOf(expression, issue),
    path: expression.path,
    message: issue.message,
    ...(issue.hint !== undefined && { hint: issue.hint }),
    ...(others.length > 0 && { further: others.map((other) => ({ span: focusOf(expression, other), message: withHint(other) })) }),
  };
  report(diagnostic);
}

const withHint = ({ message, hint }: Issue): string => (hint === undefined ? message : `${message} (${hint})`);

/** Returns the offset in the source of a character of an expression's text. */
export const sourceOffset = ({ scalar }: ExpressionNode, offset: number): number => scalarOffsets(scalar)(offset);

/** Returns the place in the source of a range of an expression's text. */
export function focusOf(expression: ExpressionNode, range: { readonly start: number; readonly end: number }): Diagnostic["focus"] & object {
  const start = sourceOffset(expression, range.start);
  const last = sourceOffset(expression, Math.max(range.start, range.end - 1));
  return { source: expression.span.source, start, end: range.end > range.start ? Math.max(start, last) + 1 : start };
}
