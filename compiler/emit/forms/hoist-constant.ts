/**
 * Hoists constants that are expensive to create (a list, a timestamp, a pattern): they are created once, when the
 * unit is loaded.
 */
import type { Expression } from "../../../runtime/cel/ast.ts";
import { isConstant } from "../../cel/constant.ts";
import { js } from "../code.ts";
import { type Emitted, type EmitContext, arrow, openFrame } from "../context.ts";

/** Whether an expression is a constant worth hoisting. Inside another hoisted constant there is nothing to gain. */
export function isWorthHoisting(expression: Expression, context: EmitContext): boolean {
  if (context.query === atLoad || !context.factory.uses("declare constants")) return false;
  switch (expression.kind) {
    case "list":
    case "map":
      return isConstant(expression);
    case "call":
      return !isOperator(expression.function) && expression.function !== "dyn" && isConstant(expression);
    case "literal":
    case "identifier":
    case "select":
    case "logic":
    case "loop":
    case "bind":
    case "optionalMap":
    case "struct":
      return false;
  }
}

/** Stands for the query while a constant is created. */
const atLoad = js`rt.load`;

/** Operators have names that no function can have: `_+_`, `!_`, `@in`. */
const isOperator = (name: string): boolean => /[_@!]/.test(name.charAt(0)) || name.endsWith("_");

/** Declares a constant at the head of the unit and emits its name. */
export function hoistConstant(
  expression: Expression,
  context: EmitContext,
  emitValue: (expression: Expression, context: EmitContext) => Emitted,
): Emitted {
  // It is evaluated outside the current function, so it needs temporaries of its own.
  const frame = openFrame();
  const emitted = emitValue(expression, { ...context, query: atLoad, frame });
  const code = frame.temporaries.length === 0 ? emitted.code : js`(${arrow([], frame, emitted.code)})()`;
  const hint = expression.kind === "call" ? expression.function : expression.kind;
  return { ...emitted, code: js`${context.factory.hoist(hint, code)}` };
}
