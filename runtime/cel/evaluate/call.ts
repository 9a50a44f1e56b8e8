/** Evaluates calls of functions and operators. All arguments are evaluated first, except for `?:`, `or` and `orValue`. */
import type { Call, Expression } from "../ast.ts";
import { find } from "../access.ts";
import { call, overloadOf } from "../call.ts";
import { EvalError, evalError } from "../error.ts";
import { Optional } from "../optional.ts";
import type { Value } from "../value.ts";
import { placed, refused } from "./place.ts";
import type { Scope, Visit } from "./scope.ts";

/** Evaluates a call. If arguments fail, the error of the first one from left to right is the result. */
export function evaluateCall(tree: Call, scope: Scope, visit: Visit): Value | EvalError {
  const { target, function: name } = tree;
  const first = tree.args[0];
  if (name === "_?_:_") return choose(tree, scope, visit);
  if (target && first && tree.args.length === 1 && (name === "or" || name === "orValue")) {
    return orElse(target, name, first, scope, visit);
  }
  const args = valuesOf(target ? [target, ...tree.args] : tree.args, scope, visit);
  if (args instanceof EvalError) return args;
  const result = answer(tree, args, scope);
  return result instanceof EvalError ? placed(result, tree, args) : result;
}

function answer({ function: name, target, overload }: Call, args: readonly Value[], { run }: Scope): Value | EvalError {
  if (overload !== undefined) return overloadOf(overload)(args, run.context);
  return name === "_[?_]" ? find(args[0] ?? null, args[1] ?? null) : call(name, target !== undefined, args, run.context);
}

/** Evaluates the arguments. Special cases for one and two, because array literals are faster than growing arrays. */
function valuesOf(trees: readonly Expression[], scope: Scope, visit: Visit): readonly Value[] | EvalError {
  const [firstTree, secondTree] = trees;
  if (firstTree === undefined) return none;
  const first = visit(firstTree, scope);
  if (first instanceof EvalError) return first;
  if (secondTree === undefined) return [first];
  const second = visit(secondTree, scope);
  if (second instanceof EvalError) return second;
  const values = [first, second];
  for (let at = 2; at < trees.length; at++) {
    const tree = trees[at];
    const value = tree === undefined ? null : visit(tree, scope);
    if (value instanceof EvalError) return value;
    values.push(value);
  }
  return values;
}

const none: readonly Value[] = [];

/** `c ? a : b` evaluates only one branch. */
function choose({ args: [condition, yes, no] }: Call, scope: Scope, visit: Visit): Value | EvalError {
  if (condition === undefined || yes === undefined || no === undefined) return evalError("no such overload");
  const value = visit(condition, scope);
  if (typeof value === "boolean") return visit(value ? yes : no, scope);
  return value instanceof EvalError ? value : refused(condition, value, "?:");
}

/** `o.or(other)` and `o.orValue(x)` evaluate their argument only if `o` is none. */
function orElse(target: Expression, name: "or" | "orValue", other: Expression, scope: Scope, visit: Visit): Value | EvalError {
  const optional = visit(target, scope);
  if (optional instanceof EvalError) return optional;
  if (!(optional instanceof Optional)) return refused(target, optional, name);
  if (optional.value !== undefined) return name === "or" ? optional : optional.value;
  const value = visit(other, scope);
  return name === "orValue" || value instanceof Optional || value instanceof EvalError ? value : refused(other, value, name);
}
