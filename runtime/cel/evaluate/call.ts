/** Function and operator calls: strict in their arguments, but for the few that choose. */
import type { Call, Expression } from "../ast.ts";
import { find } from "../access.ts";
import { call } from "../call.ts";
import { EvalError, evalError } from "../error.ts";
import { truth } from "../logic.ts";
import { Optional } from "../optional.ts";
import type { Value } from "../value.ts";
import type { Scope, Visit } from "./scope.ts";

/** Evaluates a call. The first argument that fails, from left to right, is the answer. */
export function evaluateCall(tree: Call, scope: Scope, visit: Visit): Value | EvalError {
  const [first, second, third] = tree.args;
  if (tree.function === "_?_:_" && first && second && third) return choose(first, second, third, scope, visit);
  if (tree.target && first && tree.args.length === 1 && (tree.function === "or" || tree.function === "orValue")) {
    return orElse(tree.target, tree.function, first, scope, visit);
  }
  const args: Value[] = [];
  for (const argument of tree.target ? [tree.target, ...tree.args] : tree.args) {
    const value = visit(argument, scope);
    if (value instanceof EvalError) return value;
    args.push(value);
  }
  if (tree.function === "_[?_]") return find(args[0] ?? null, args[1] ?? null);
  return call(tree.function, tree.target !== undefined, args, scope.context);
}

/** `c ? a : b` evaluates one branch. */
function choose(condition: Expression, yes: Expression, no: Expression, scope: Scope, visit: Visit): Value | EvalError {
  const value = truth(visit(condition, scope));
  return value instanceof EvalError ? value : visit(value ? yes : no, scope);
}

/** `o.or(other)` and `o.orValue(x)` evaluate their argument only where o is none. */
function orElse(target: Expression, name: "or" | "orValue", other: Expression, scope: Scope, visit: Visit): Value | EvalError {
  const optional = visit(target, scope);
  if (optional instanceof EvalError) return optional;
  if (!(optional instanceof Optional)) return evalError("no such overload");
  if (optional.value !== undefined) return name === "or" ? optional : optional.value;
  const value = visit(other, scope);
  return name === "or" && !(value instanceof Optional) && !(value instanceof EvalError) ? evalError("no such overload") : value;
}
