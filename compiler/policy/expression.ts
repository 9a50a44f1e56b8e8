/** Parses the CEL text of a YAML scalar, and maps its offsets back to the source. */
import { parseCached } from "../cel/parse-cached.ts";
import type { Diagnostic, Report } from "../diagnostic.ts";
import type { Issue } from "../cel/issue.ts";
import { invariant } from "../../runtime/cel/error.ts";
import { scalarOffsets } from "../yaml/scalar-offset.ts";
import { string } from "../yaml/scalar.ts";
import type { ScalarNode, YamlNode } from "../yaml/node.ts";
import type { Placed } from "../yaml/shape.ts";
import type { ExpressionNode } from "./document.ts";

/** The shape of an expression's text. */
export const expressionText = string(undefined, hintForOther);

/** Definitions and outputs are often written like conditions, with `expr`, or as the YAML that they are to return. */
function hintForOther(node: YamlNode): string {
  const isLikeCondition = node.kind === "map" && node.entries.some(({ key }) => key.text === "expr");
  return isLikeCondition
    ? "write the expression itself here, without `expr:`"
    : `write one expression, such as ${node.kind === "map" ? `\`'{"name": "value"}'\`` : `\`'["value"]'\``}`;
}

/** Parses the expression of a scalar and reports its errors. */
export function readExpression({ value: text, place }: Placed<string>, report: Report): ExpressionNode {
  invariant(place.node.kind === "scalar", "a text is read from a scalar");
  const tagged = tagIssue(place.node);
  const { tree, issues } = tagged === undefined ? parseCached(text) : { tree: undefined, issues: [tagged] };
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

/** The length up to which a tag is shown whole, in UTF-16 units. */
const longestShown = 60;

/** The YAML tags of scalars. `!!` before anything else was probably meant as a double negation. */
const ofScalars: ReadonlySet<string> = new Set(["str", "null", "int", "float", "bool"].map((name) => `tag:yaml.org,2002:${name}`));

/**
 * The error for an unquoted expression that begins with `!`: YAML reads the `!` as a tag and drops it, which would
 * invert the condition.
 */
function tagIssue({ tag }: ScalarNode): Issue | undefined {
  if (tag === undefined || ofScalars.has(tag)) return undefined;
  const written = tag.replace(/^tag:yaml\.org,2002:/, "!!");
  const shown = written.length > longestShown ? `${written.slice(0, longestShown)}…` : written;
  return { start: 0, end: 0, message: `YAML takes \`${shown}\` for a tag, not for a negation`, hint: "put the whole expression in quotes" };
}

/** Reports all errors of an expression in one diagnostic, as the reference implementation counts them. */
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

/** Returns the position in the source of a range of an expression's text. */
export function focusOf(expression: ExpressionNode, range: { readonly start: number; readonly end: number }): Diagnostic["focus"] & object {
  const start = sourceOffset(expression, range.start);
  const last = sourceOffset(expression, Math.max(range.start, range.end - 1));
  return { source: expression.span.source, start, end: range.end > range.start ? Math.max(start, last) + 1 : start };
}
