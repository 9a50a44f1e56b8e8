/** Emits `&&`, `||`, `!` and `?:`. The wanted outcome is pushed down to the leaves (docs/cel.md, "Outcomes"). */
import type { Call, Expression, Logic } from "../../runtime/cel/ast.ts";
import { invariant } from "../../runtime/cel/error.ts";
import { type Code, js, terms } from "./code.ts";
import { booleanLiteral } from "./literal.ts";
import { type Emitted, type ExpressionEmitter, type EmitContext, atom, evaluateOnce, temporary } from "./context.ts";
import { boolType, join } from "./value-type.ts";

/**
 * Emits whether `a && b && ...` or `a || b || ...` evaluates to `outcome`. Exact even with errors, because one term
 * decides.
 */
export function logicIs(outcome: boolean, expression: Logic, context: EmitContext, emit: ExpressionEmitter): Code {
  const every = (expression.operator === "&&") === outcome;
  const parts = expression.terms.map((term) => emit.is(outcome, term, context));
  return joined(every ? "&&" : "||", parts);
}

/** Joins terms; those joined by the other operator get parentheses. */
export const joined = (operator: "&&" | "||", parts: readonly Code[]): Code =>
  terms(
    operator,
    parts.length === 1 ? parts : parts.map((part) => (part.kind === "terms" && part.operator !== operator ? atom(part) : part)),
  );

/**
 * Emits the value of `a && b && ...`: the deciding boolean if any term has it, otherwise the opposite, or an error if
 * a term failed.
 */
export function emitLogic(expression: Logic, context: EmitContext, emit: ExpressionEmitter): Emitted {
  const deciding = expression.operator === "||";
  const values = expression.terms.map((term) => emit.value(term, context));
  if (values.every(isBoolean)) {
    const codes = values.map((value) => value.code);
    return { code: atom(terms(expression.operator, codes)), type: boolType, cannotFail: true };
  }
  const kept = values.map(({ code }) => ({ code, name: temporary(context) }));
  const decided = terms(
    "||",
    kept.map(({ code, name }) => js`(${name} = ${code}) === ${booleanLiteral(deciding)}`),
  );
  const other = terms(
    "&&",
    kept.map(({ name }) => js`${name} === ${booleanLiteral(!deciding)}`),
  );
  return {
    code: js`(${decided} ? ${booleanLiteral(deciding)} : ${other} ? ${booleanLiteral(!deciding)} : undefined)`,
    type: boolType,
    cannotFail: false,
  };
}

/** Emits the value of `!a`. */
export function emitNot(expression: Call, context: EmitContext, emit: ExpressionEmitter): Emitted {
  const value = emit.value(onlyOperand(expression), context);
  return isBoolean(value)
    ? { code: atom(js`!${value.code}`), type: boolType, cannotFail: true }
    : { code: js`rt.not(${value.code})`, type: boolType, cannotFail: false };
}

/** The single operand of a call such as `!a` or `dyn(a)`. */
export function onlyOperand(expression: Call): Expression {
  const [operand] = expression.args;
  invariant(operand !== undefined, "the checker counted the operands");
  return operand;
}

/** Emits the value of `c ? a : b`. A condition that is not boolean is an error. */
export function emitConditional(expression: Call, context: EmitContext, emit: ExpressionEmitter): Emitted {
  const [condition, yes, no] = conditionalOperands(expression);
  const test = emit.value(condition, context);
  const left = emit.value(yes, context);
  const right = emit.value(no, context);
  const type = join(left.type, right.type);
  const cannotFail = isBoolean(test) && left.cannotFail && right.cannotFail;
  return { code: ternary(test, left.code, right.code, js`undefined`, context), type, cannotFail };
}

/** Emits whether `c ? a : b` evaluates to `outcome`. The condition is evaluated once. */
export function conditionalIs(outcome: boolean, expression: Call, context: EmitContext, emit: ExpressionEmitter): Code {
  const [condition, yes, no] = conditionalOperands(expression);
  const test = emit.value(condition, context);
  return ternary(test, emit.is(outcome, yes, context), emit.is(outcome, no, context), js`false`, context);
}

/** Whether a value is certainly a boolean and no error. */
export const isBoolean = (value: Emitted): boolean => value.cannotFail && value.type.kind === "bool";

function ternary(test: Emitted, yes: Code, no: Code, neither: Code, context: EmitContext): Code {
  if (isBoolean(test)) return js`(${test.code} ? ${yes} : ${no})`;
  const [first, again] = evaluateOnce(test, context);
  return js`(${first} === true ? ${yes} : ${again} === false ? ${no} : ${neither})`;
}

function conditionalOperands(expression: Call): readonly [Expression, Expression, Expression] {
  const [condition, yes, no] = expression.args;
  invariant(condition !== undefined && yes !== undefined && no !== undefined, "`?:` has three operands");
  return [condition, yes, no];
}
