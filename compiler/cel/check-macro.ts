/** Type-checks macros: loops, `cel.bind`, and the macros of optionals. */
import type { Bind, Loop, OptionalMap } from "../../runtime/cel/ast.ts";
import { invariant, unreachable } from "../../runtime/cel/error.ts";
import { bool, bytes, double, duration, dyn, errorType, int, string, timestamp, uint, type Type } from "../../runtime/cel/type.ts";
import type { Checker, Scope, Typed } from "./checker.ts";
import { notAMap, notARange, notAnOptional, notBool, notSortable } from "./type-errors.ts";
import { assign, freshVariable, insideOptional, isDynamicOrError, listType, mapType, optionalType, sameType, substitute } from "./unify.ts";

/** Checks a loop: its range, then filter and body with the variables in scope. */
export function checkLoop(checker: Checker, tree: Loop, scope: Scope | undefined): Typed {
  const range = checker.visit(tree.range, scope);
  const variables = variableTypes(checker, tree, substitute(checker.unifier, range.type));
  const inner = tree.variables.reduce<Scope | undefined>((outer, name, i) => ({ name, type: variables[i] ?? dyn, outer }), scope);
  const filter = tree.filter === undefined ? undefined : checker.visit(tree.filter, inner);
  const body = checker.visit(tree.body, inner);
  // After the body, as in cel-go's expansion `filter ? made + [body] : made`, where types are compared once all are
  // known.
  if (filter !== undefined) demandBool(checker, filter, `the filter of \`${tree.macroName}\``);
  const { filter: _, ...rest } = tree;
  const resolved: Loop = { ...rest, range: range.tree, ...(filter !== undefined && { filter: filter.tree }), body: body.tree };
  return { tree: resolved, type: substitute(checker.unifier, resultType(checker, tree, range.type, variables, body)) };
}

/**
 * With two variables, list elements come with their index and map values with their key; a single variable is the
 * element or the key.
 */
function variableTypes(checker: Checker, tree: Loop, range: Type): readonly Type[] {
  const two = tree.variables.length === 2;
  if (range.kind === "list") return two ? [int, range.element] : [range.element];
  if (range.kind === "map" && tree.macro !== "sortBy") return [range.key, range.value];
  // Nothing is known about a type variable, so it becomes dyn.
  if (range.kind === "parameter") assign(checker.unifier, [dyn], [range]);
  if (range.kind === "parameter" || isDynamicOrError(range)) return [dyn, dyn];
  checker.report(() => notARange(tree, substitute(checker.unifier, range, dyn)));
  return [errorType, errorType];
}

function resultType(checker: Checker, tree: Loop, range: Type, variables: readonly Type[], body: Typed): Type {
  const [first = dyn] = variables;
  switch (tree.macro) {
    case "all":
    case "exists":
    case "existsOne":
      demandBool(checker, body, `the condition of \`${tree.macroName}\``);
      return bool;
    case "filter":
      demandBool(checker, body, `the condition of \`${tree.macroName}\``);
      return listType(first);
    case "map":
    case "transformList":
      return listType(body.type);
    case "transformMap":
      return mapType(first, body.type);
    case "transformMapEntry": {
      const own = checker.unifier.nextVariable;
      const entry = mapType(freshVariable(checker.unifier), freshVariable(checker.unifier));
      if (!assign(checker.unifier, [body.type], [entry], own))
        checker.report(() => notAMap(body.tree, substitute(checker.unifier, body.type, dyn)));
      return entry;
    }
    case "sortBy":
      return sortedType(checker, substitute(checker.unifier, range), first, body);
    default:
      return unreachable(tree.macro);
  }
}

/**
 * As for a function with an overload for each key type: if several match with different results, as for dyn, the
 * result is dyn.
 */
function sortedType(checker: Checker, list: Type, element: Type, body: Typed): Type {
  let result: Type | undefined;
  for (const key of sortable) {
    const own = checker.unifier.nextVariable;
    const sorted = listType(freshVariable(checker.unifier));
    if (!assign(checker.unifier, [list, body.type], [sorted, key], own)) continue;
    const type = substitute(checker.unifier, sorted);
    result = result === undefined || sameType(result, type) ? type : dyn;
  }
  if (result !== undefined) return result;
  checker.report(() => notSortable(body.tree, substitute(checker.unifier, body.type, dyn)));
  return listType(element);
}

const sortable: readonly Type[] = [int, uint, double, bool, duration, timestamp, string, bytes];

function demandBool(checker: Checker, { tree, type }: Typed, what: string): void {
  if (!assign(checker.unifier, [type], [bool])) checker.report(() => notBool(tree, what, substitute(checker.unifier, type, dyn)));
}

/** Checks `cel.bind`: in the body the name has the type of its initialiser. */
export function checkBind(checker: Checker, tree: Bind, scope: Scope | undefined): Typed {
  const init = checker.visit(tree.init, scope);
  const body = checker.visit(tree.body, { name: tree.name, type: init.type, outer: scope });
  return { tree: { ...tree, init: init.tree, body: body.tree }, type: substitute(checker.unifier, body.type) };
}

/** Checks `optMap` and `optFlatMap`: the body sees the optional's value; the result is an optional. */
export function checkOptionalMap(checker: Checker, tree: OptionalMap, scope: Scope | undefined): Typed {
  const { unifier } = checker;
  const target = checker.visit(tree.target, scope);
  const own = unifier.nextVariable;
  const wanted = optionalType(freshVariable(unifier));
  if (!assign(unifier, [target.type], [wanted], own))
    checker.report(() => notAnOptional(target.tree, tree.flat ? "optFlatMap" : "optMap", substitute(unifier, target.type, dyn)));
  const inside = insideOptional(wanted);
  invariant(inside !== undefined, "an optional has something inside");
  const body = checker.visit(tree.body, { name: tree.variable, type: substitute(unifier, inside), outer: scope });
  const resolved: OptionalMap = { ...tree, target: target.tree, body: body.tree };
  if (!tree.flat) return { tree: resolved, type: optionalType(body.type) };
  const known = substitute(unifier, body.type);
  if (isDynamicOrError(known)) return { tree: resolved, type: known };
  const result = optionalType(freshVariable(unifier));
  if (!assign(unifier, [known], [result])) checker.report(() => notAnOptional(body.tree, "optFlatMap", substitute(unifier, known, dyn)));
  return { tree: resolved, type: substitute(unifier, result) };
}
