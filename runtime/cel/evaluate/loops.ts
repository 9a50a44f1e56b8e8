/** Evaluates the looping macros over lists and maps, with one variable or two. */
import type { Expression, Loop } from "../ast.ts";
import { EvalError, evalError, unreachable } from "../error.ts";
import { isList, isMap } from "../kind.ts";
import { canonicalKey, makeMap, mapEntries, workToKeepKey } from "../map.ts";
import { sortByKeys } from "../sort.ts";
import { CelMap, type MapKey, type Value } from "../value.ts";
import { inTurn, placed, refused } from "./place.ts";
import { elementKept, work } from "../work.ts";
import type { Scope, Visit } from "./scope.ts";
import { openLoop, type LoopState } from "./loop-state.ts";

/** Evaluates a loop. The result is an error if the range is one, or is neither list nor map. */
export function evaluateLoop(tree: Loop, scope: Scope, visit: Visit): Value | EvalError {
  const range = visit(tree.range, scope);
  if (range instanceof EvalError) return range;
  if (!isList(range) && !isMap(range)) return refused(tree.range, range, tree.macro, "the range is neither a list nor a map");
  const loop = openLoop(tree, range, scope);
  switch (tree.macro) {
    case "all":
      return quantify(tree, false, loop, visit);
    case "exists":
      return quantify(tree, true, loop, visit);
    case "existsOne":
      return existsOne(tree, loop, visit);
    case "filter":
      return collect(tree.body, tree, loop, visit, loop.item);
    case "map":
    case "transformList":
      return collect(tree.filter, tree, loop, visit, () => visit(tree.body, loop.inside));
    case "transformMap":
      return transformMap(tree, loop, visit);
    case "transformMapEntry":
      return transformMapEntry(tree, loop, visit);
    case "sortBy":
      return isList(range) ? sortBy(range, tree, loop, visit) : refused(tree.range, range, tree.macro);
    default:
      return unreachable(tree.macro);
  }
}

/** `all` combines its iterations like `&&`, `exists` like `||`, errors included. */
function quantify(tree: Loop, deciding: boolean, loop: LoopState, visit: Visit): boolean | EvalError {
  let failure: EvalError | undefined;
  while (loop.next()) {
    const value = visit(tree.body, loop.inside);
    if (value === deciding) return deciding;
    if (typeof value !== "boolean")
      failure ??= inTurn(value instanceof EvalError ? value : refused(tree.body, value, tree.macro), loop.key());
  }
  return failure ?? loop.failure() ?? !deciding;
}

/** `exists_one`. An error in any iteration is the result. */
function existsOne(tree: Loop, loop: LoopState, visit: Visit): boolean | EvalError {
  const found = collect(tree.body, tree, loop, visit, () => true);
  return found instanceof EvalError ? found : found.length === 1;
}

/** Collects the results of `make` for the iterations where the filter is true. The first error is the result. */
function collect(
  filter: Expression | undefined,
  tree: Loop,
  loop: LoopState,
  visit: Visit,
  make: () => Value | EvalError,
): readonly Value[] | EvalError {
  const made: Value[] = [];
  while (loop.next()) {
    const holds = filter === undefined ? true : visit(filter, loop.inside);
    if (holds === false) continue;
    const value = holds === true ? make() : holds instanceof EvalError ? holds : refused(filter ?? tree.body, holds, tree.macro);
    if (value instanceof EvalError) return inTurn(value, loop.key());
    work(elementKept);
    made.push(value);
  }
  return loop.failure() ?? made;
}

/** `transformMap`: same keys, new values. */
function transformMap(tree: Loop, loop: LoopState, visit: Visit): Value | EvalError {
  const keys: Value[] = [];
  const values = collect(tree.filter, tree, loop, visit, () => {
    keys.push(loop.key());
    return visit(tree.body, loop.inside);
  });
  return values instanceof EvalError ? values : makeMap(values.map((value, i) => [keys[i] ?? null, value] as const));
}

/** `transformMapEntry`: the union of the maps that the bodies return. A repeated key is an error. */
function transformMapEntry(tree: Loop, loop: LoopState, visit: Visit): Value | EvalError {
  const made = new Map<MapKey, readonly [Value, Value]>();
  const outcome = collect(tree.filter, tree, loop, visit, () => {
    const body = visit(tree.body, loop.inside);
    if (body instanceof EvalError) return body;
    if (!isMap(body)) return refused(tree.body, body, tree.macro, "an entry is made of a map");
    for (const entry of mapEntries(body)) {
      const key = canonicalKey(entry[0]);
      if (key === undefined || made.has(key)) return placed(alreadyThere, tree.body, [body]);
      workToKeepKey(key, made.size);
      made.set(key, entry);
    }
    return null;
  });
  return outcome instanceof EvalError ? outcome : new CelMap(made);
}

const alreadyThere = evalError("invalid argument", "insert failed: the key already exists");

/** `sortBy`: the elements in the order of their keys. */
function sortBy(list: readonly Value[], tree: Loop, loop: LoopState, visit: Visit): Value | EvalError {
  const keys = collect(undefined, tree, loop, visit, () => visit(tree.body, loop.inside));
  return keys instanceof EvalError ? keys : sortByKeys(list, keys);
}
