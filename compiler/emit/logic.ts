/** Emits `&&`, `||`, `!` and `?:`. The wanted outcome is pushed down to the leaves (docs/cel.md, "Outcomes"). */
import type { Call, Expression, Logic } from "../../runtime/cel/ast.ts";
import { invariant } from "../../runtime/cel/error.ts";
import { type Code, js, terms } from "./code.ts";
import { truth } from "./literal.ts";
import { type Emitted, type Expressions, type Scope, atom, held, temporary } from "./scope.ts";
import { boolType, join } from "./value-type.ts";

/**
 * Emits whether `a && b && ...` or `a || b || ...` evaluates to `outcome`. Exact even with errors, because one term
 * decides.
 */
export function logicIs(outcome: boolean, expression: Logic, scope: Scope, emit: Expressions): Code {
  const every = (expression.operator === "&&") === outcome;
  const parts = expression.terms.map((term) => emit.is(outcome, term, scope));
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
export function emitLogic(expression: Logic, scope: Scope, emit: Expressions): Emitted {
  const deciding = expression.operator === "||";
  const values = expression.terms.map((term) => emit.value(term, scope));
  if (values.every(isTruth)) {
    const codes = values.map((value) => value.code);
    return { code: atom(terms(expression.operator, codes)), type: boolType, total: true };
  }
  const kept = values.map(({ code }) => ({ code, name: temporary(scope) }));
  const decided = terms(
    "||",
    kept.map(({ code, name }) => js`(${name} = ${code}) === ${truth(deciding)}`),
  );
  const other = terms(
    "&&",
    kept.map(({ name }) => js`${name} === ${truth(!deciding)}`),
  );
  return { code: js`(${decided} ? ${truth(deciding)} : ${other} ? ${truth(!deciding)} : undefined)`, type: boolType, total: false };
}

/** Emits the value of `!a`. */
export function emitNot(expression: Call, scope: Scope, emit: Expressions): Emitted {
  const value = emit.value(only(expression), scope);
  return isTruth(value)
    ? { code: atom(js`!${value.code}`), type: boolType, total: true }
    : { code: js`rt.not(${value.code})`, type: boolType, total: false };
}

/** The single operand of a call such as `!a` or `dyn(a)`. */
export function only(expression: Call): Expression {
  const [operand] = expression.args;
  invariant(operand !== undefined, "the checker counted the operands");
  return operand;
}

/** Emits the value of `c ? a : b`. A condition that is not boolean is an error. */
export function emitChoice(expression: Call, scope: Scope, emit: Expressions): Emitted {
  const [condition, yes, no] = choice(expression);
  const test = emit.value(condition, scope);
  const left = emit.value(yes, scope);
  const right = emit.value(no, scope);
  const type = join(left.type, right.type);
  const total = isTruth(test) && left.total && right.total;
  return { code: choose(test, left.code, right.code, js`undefined`, scope), type, total };
}

/** Emits whether `c ? a : b` evaluates to `outcome`. The condition is evaluated once. */
export function choiceIs(outcome: boolean, expression: Call, scope: Scope, emit: Expressions): Code {
  const [condition, yes, no] = choice(expression);
  const test = emit.value(condition, scope);
  return choose(test, emit.is(outcome, yes, scope), emit.is(outcome, no, scope), js`false`, scope);
}

/** Whether a value is certainly a boolean and no error. */
export const isTruth = (value: Emitted): boolean => value.total && value.type.kind === "bool";

function choose(test: Emitted, yes: Code, no: Code, neither: Code, scope: Scope): Code {
  if (isTruth(test)) return js`(${test.code} ? ${yes} : ${no})`;
  const [first, again] = held(test, scope);
  return js`(${first} === true ? ${yes} : ${again} === false ? ${no} : ${neither})`;
}

function choice(expression: Call): readonly [Expression, Expression, Expression] {
  const [condition, yes, no] = expression.args;
  invariant(condition !== undefined && yes !== undefined && no !== undefined, "`?:` has three operands");
  return [condition, yes, no];
}
