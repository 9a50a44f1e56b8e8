/**
 * Warns of a comparison whose result is always the same, because an attribute, a claim or a constant never has the
 * type of the other operand.
 */
import type { Expression } from "../../runtime/cel/ast.ts";
import type { Type } from "../../runtime/cel/type.ts";
import { focusOf } from "../policy/expression.ts";
import type { AttributeCall } from "./attribute-calls.ts";
import type { Rule } from "./rule.ts";

/** Checks every `==`, `!=` and `in`. */
export const reportConstantComparisons: Rule = ({ attributeCalls }, report) => {
  for (const each of attributeCalls) {
    const { expression } = each;
    const found = neverEqual(each);
    if (found === undefined) continue;
    const [start, end] = [each.call.start, each.call.end];
    const datum = expression.text.slice(found.datum.start, found.datum.end);
    report({
      code: "constant-comparison",
      severity: "warning",
      span: expression.span,
      focus: focusOf(expression, each.call),
      path: expression.path,
      message: `\`${expression.text.slice(start, end)}\` is ${each.call.function === "_!=_" ? "always true" : "never true"}: \`${datum}\` is never ${found.isA}`,
      ...(found.convert !== undefined && { hint: `convert it: \`${found.convert}(${datum})\`` }),
    });
  }
};

interface NeverEqual {
  readonly datum: Expression;
  readonly isA: string;
  readonly convert?: string;
}

function neverEqual({ call, args }: AttributeCall): NeverEqual | undefined {
  const [left, right] = args;
  if (left === undefined || right === undefined) return undefined;
  if (call.function === "@in") {
    if (left.isJson && right.type?.kind === "list") return unlike(left.tree, right.type.element);
    return undefined;
  }
  if (call.function !== "_==_" && call.function !== "_!=_") return undefined;
  if (left.isJson) return unlike(left.tree, right.type);
  return right.isJson ? unlike(right.tree, left.type) : undefined;
}

/** Returns the type, if JSON can never equal it. Numbers of all types are excluded: they are compared by value. */
function unlike(datum: Expression, type: Type | undefined): NeverEqual | undefined {
  switch (type?.kind) {
    case "timestamp":
    case "duration":
      return { datum, isA: `a ${type.kind}`, convert: type.kind };
    case "bytes":
      return { datum, isA: "bytes", convert: "bytes" };
    case "type":
      return { datum, isA: "a type" };
    default:
      return undefined;
  }
}
