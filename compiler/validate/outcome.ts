/** Determines whether a condition is true or false for every request; undefined where that depends on the request. */
import { EvalError } from "../../runtime/cel/error.ts";
import { evaluate } from "../../runtime/cel/evaluate/evaluate.ts";
import { Timestamp } from "../../runtime/cel/value.ts";
import { isConstant } from "../cel/constant.ts";
import type { ConditionNode, ExpressionNode } from "../policy/document.ts";

/** Works a condition out as far as it reads nothing. */
export function outcomeOf(condition: ConditionNode): boolean | undefined {
  if (condition.kind === "expression") return outcomeOfExpression(condition.expression);
  const parts = condition.of.map(outcomeOf);
  const all = (wanted: boolean): boolean => parts.every((part) => part === wanted);
  switch (condition.kind) {
    case "all":
      return parts.includes(false) ? false : all(true) ? true : undefined;
    case "any":
      return parts.includes(true) ? true : all(false) ? false : undefined;
    case "none":
      return parts.includes(true) ? false : all(false) ? true : undefined;
  }
}

/** An expression that fails always is left alone: under strict evaluation it denies. */
function outcomeOfExpression({ tree }: ExpressionNode): boolean | undefined {
  if (tree === undefined || !isConstant(tree)) return undefined;
  const value = evaluate(tree, () => undefined, { now: new Timestamp(0, 0) });
  return value instanceof EvalError ? undefined : value === true;
}
