/** Resolves names: macro variables first, then bindings, then type names. */
import type { Identifier } from "../ast.ts";
import { EvalError, evalError } from "../error.ts";
import { typeName } from "../kind.ts";
import { bool, bytes, double, duration, dyn, int, listOf, mapOf, nullType, opaque, string, timestamp, typeOf, uint } from "../type.ts";
import { TypeValue, type Value } from "../value.ts";
import { readWithin } from "./place.ts";
import type { Name, Scope, Visit } from "./scope.ts";

/** The types that can be named in an expression. */
export const typeValues: ReadonlyMap<string, TypeValue> = new Map(
  [
    bool,
    bytes,
    double,
    duration,
    int,
    listOf(dyn),
    mapOf(dyn, dyn),
    nullType,
    string,
    timestamp,
    typeOf(),
    uint,
    opaque("optional_type"),
    opaque("net.IP"),
    opaque("net.CIDR"),
  ].map((type) => [typeName(type), new TypeValue(type)]),
);

/** Returns the value of a name. */
export function resolveName({ name, absolute }: Identifier, scope: Scope, visit: Visit): Value | EvalError {
  if (absolute !== true) {
    for (let given = scope.names; given !== undefined; given = given.next) {
      if (given.name === name) return given.lazy === undefined ? (given.value ?? null) : read(given, scope, visit);
    }
  }
  return valueOfName(name, scope.run.bindings(name));
}

/** Returns the value of a name outside of macros; `bound` is its binding. */
export function valueOfName(name: string, bound: Value | EvalError | undefined): Value | EvalError {
  if (bound === undefined) return typeValues.get(name) ?? evalError("no such attribute", name);
  // An error from another expression (a variable's) has its place there; here the name is what fails.
  return bound instanceof EvalError && bound.place !== undefined ? new EvalError(bound.kind, bound.message) : bound;
}

/** Evaluates a lazy variable on its first read, at most once. */
function read(given: Name, scope: Scope, visit: Visit): Value | EvalError {
  if (given.value === undefined && given.lazy !== undefined) given.value = visit(given.lazy.init, given.lazy.scope);
  const value = given.value ?? null;
  return value instanceof EvalError ? readWithin(value, loopsBetween(scope.names, given)) : value;
}

function loopsBetween(reader: Name | undefined, given: Name): number {
  let loops = 0;
  for (let at = reader; at !== undefined && at !== given; at = at.next) if (at.ofLoop) loops += 1;
  return loops;
}
