/**
 * Constant folding: evaluates constant expressions with the reference interpreter, so that the program contains the
 * literal.
 */
import type { Expression, Literal } from "../../../runtime/cel/ast.ts";
import { EvalError } from "../../../runtime/cel/error.ts";
import { evaluate } from "../../../runtime/cel/evaluate/evaluate.ts";
import { Timestamp, Uint, type Value } from "../../../runtime/cel/value.ts";
import { isConstant } from "../../cel/constant.ts";
import type { EmitContext } from "../context.ts";

const evaluationContext = { now: new Timestamp(0, 0) };

/** The literal that a constant expression evaluates to; undefined if it is not constant, fails, or has no literal form. */
export function foldConstant(expression: Expression, context: EmitContext): Literal | undefined {
  const mayFold = expression.kind === "call" || expression.kind === "logic";
  if (!mayFold || !context.factory.uses("fold constants") || !isConstant(expression)) return undefined;
  const value = evaluate(expression, () => undefined, evaluationContext);
  if (value instanceof EvalError || !isSmall(value)) return undefined;
  const { id, start, end } = expression;
  return { kind: "literal", value, id, start, end };
}

/** Long computed strings are not folded, because a short policy could produce very long ones. */
const longest = 1000;

const isSmall = (value: Value): value is Exclude<Literal["value"], Uint8Array> =>
  typeof value === "string" ? value.length <= longest : value === null || typeof value !== "object" || value instanceof Uint;
