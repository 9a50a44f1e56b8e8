/** Evaluates `[a, ?b]` and `{k: v, ?k: o}`. Elements and entries marked `?` are omitted if their optional is none. */
import type { Expression, List, MapLiteral } from "../ast.ts";
import { EvalError } from "../error.ts";
import { makeMap } from "../map.ts";
import { Optional } from "../optional.ts";
import type { CelMap, Value } from "../value.ts";
import { elementKept, mapKept, objectKept, work } from "../work.ts";
import { placed, refused } from "./place.ts";
import type { Scope, Visit } from "./scope.ts";

/** Evaluates a list literal. */
export function evaluateList(tree: List, scope: Scope, visit: Visit): readonly Value[] | EvalError {
  work(objectKept + elementKept * tree.elements.length);
  const elements: Value[] = [];
  for (const [i, element] of tree.elements.entries()) {
    const value = visit(element, scope);
    if (value instanceof EvalError) return value;
    const kept = tree.optionals.length > 0 && tree.optionals.includes(i) ? unwrap(element, value) : value;
    if (kept instanceof EvalError) return kept;
    if (kept !== undefined) elements.push(kept);
  }
  return elements;
}

/** Evaluates a map literal. If a key is given twice, the last value wins (D45). */
export function evaluateMap(tree: MapLiteral, scope: Scope, visit: Visit): CelMap | EvalError {
  work(mapKept * (1 + tree.entries.length));
  const entries: (readonly [Value, Value])[] = [];
  for (const entry of tree.entries) {
    const key = visit(entry.key, scope);
    if (key instanceof EvalError) return key;
    const value = visit(entry.value, scope);
    if (value instanceof EvalError) return value;
    const kept = entry.optional ? unwrap(entry.value, value) : value;
    if (kept instanceof EvalError) return kept;
    if (kept !== undefined) entries.push([key, kept]);
  }
  const made = makeMap(entries);
  return made instanceof EvalError ? placed(made, tree) : made;
}

const unwrap = (tree: Expression, value: Value): Value | undefined | EvalError =>
  value instanceof Optional ? value.value : refused(tree, value, "?", "an element or entry marked ? needs an optional value");
