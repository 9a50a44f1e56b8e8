/** Evaluates `cel.bind(x, init, body)`, `o.optMap(x, body)` and `o.optFlatMap(x, body)`. */
import type { Bind, OptionalMap } from "../ast.ts";
import { EvalError } from "../error.ts";
import { Optional, optionalOf } from "../optional.ts";
import type { Value } from "../value.ts";
import { refused } from "./place.ts";
import { withName, type Scope, type Visit } from "./scope.ts";

/** `init` is evaluated lazily, at most once, when the body first reads the name, and outside the name's own scope. */
export function evaluateBind(tree: Bind, scope: Scope, visit: Visit): Value | EvalError {
  const lazy = { init: tree.init, scope };
  return visit(tree.body, withName(scope, { name: tree.name, value: undefined, lazy, ofLoop: false, next: scope.names }));
}

/** Evaluates the body only if the optional has a value. The body of `optFlatMap` must return an optional itself. */
export function evaluateOptionalMap(tree: OptionalMap, scope: Scope, visit: Visit): Value | EvalError {
  const asker = tree.flat ? "optFlatMap" : "optMap";
  const target = visit(tree.target, scope);
  if (target instanceof EvalError) return target;
  if (!(target instanceof Optional)) return refused(tree.target, target, asker);
  const { value } = target;
  if (value === undefined) return target;
  const body = visit(tree.body, withName(scope, { name: tree.variable, value, lazy: undefined, ofLoop: false, next: scope.names }));
  if (body instanceof EvalError || (tree.flat && body instanceof Optional)) return body;
  return tree.flat ? refused(tree.body, body, asker) : optionalOf(body);
}
