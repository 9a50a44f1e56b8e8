/** What a name means: a binding, or else a type. */
import { evalError, type EvalError } from "../error.ts";
import { typeName } from "../kind.ts";
import { bool, bytes, double, duration, dyn, int, listOf, mapOf, nullType, opaque, string, timestamp, typeOf, uint } from "../type.ts";
import { TypeValue, type Value } from "../value.ts";
import type { Bindings } from "./scope.ts";

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

/** Looks a name up. */
export function resolveName(name: string, lookup: Bindings): Value | EvalError {
  const bound = lookup(name);
  // Not `??`: null is a value.
  return bound !== undefined ? bound : (typeValues.get(name) ?? evalError("no such attribute", name));
}
