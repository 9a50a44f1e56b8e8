/** Determines whether a condition is true or false for every request; undefined if that depends on the request. */
import { EvalError } from "../../runtime/cel/error.ts";
import { evaluate } from "../../runtime/cel/evaluate/evaluate.ts";
import { Timestamp } from "../../runtime/cel/value.ts";
import { isConstant } from "../cel/constant.ts";
import type { ConditionNode, ExpressionNode } from "../policy/document.ts";

/** Evaluates a condition as far as its expressions are constant. */
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

/** A constant expression that fails gives undefined: under strict evaluation it denies, so it is not the same as false. */
function outcomeOfExpression({ tree }: ExpressionNode): boolean | undefined {
  if (tree === undefined || !isConstant(tree)) return undefined;
  const value = evaluate(tree, () => undefined, { now: new Timestamp(0, 0) });
  return value instanceof EvalError ? undefined : value === true;
}
