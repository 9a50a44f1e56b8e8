/** Optional values for generated code. */
import { find } from "../cel/access.ts";
import { makeMap } from "../cel/map.ts";
import { Optional, optionalOf } from "../cel/optional.ts";
import type { CelMap, Value } from "../cel/value.ts";
import { type Result, settle } from "./access.ts";

/** `operand.?name` and `operand[?key]`. */
export const findOptional = (operand: Result, key: Result): Result =>
  operand === undefined || key === undefined ? undefined : settle(find(operand, key));

/** `[a, ?b]`. The boolean marks the elements with `?`, which are omitted if their optional is none. */
export function listWithOptionals(elements: readonly (readonly [Result, boolean])[]): readonly Value[] | undefined {
  const values: Value[] = [];
  for (const [element, isMarked] of elements) {
    if (element === undefined) return undefined;
    if (!isMarked) values.push(element);
    else if (!(element instanceof Optional)) return undefined;
    else if (element.value !== undefined) values.push(element.value);
  }
  return values;
}

/** `{k: v, ?k: o}`. The boolean marks the entries with `?`, which are omitted if their optional is none. */
export function mapWithOptionals(entries: readonly (readonly [Result, Result, boolean])[]): CelMap | undefined {
  const values: (readonly [Value, Value])[] = [];
  for (const [key, value, isMarked] of entries) {
    if (key === undefined || value === undefined) return undefined;
    if (!isMarked) values.push([key, value]);
    else if (!(value instanceof Optional)) return undefined;
    else if (value.value !== undefined) values.push([key, value.value]);
  }
  return settle(makeMap(values));
}

/** `o.optMap(v, body)`. */
export function optionalMap(optional: Result, body: (value: Value) => Result): Result {
  if (!(optional instanceof Optional)) return undefined;
  if (optional.value === undefined) return optional;
  const value = body(optional.value);
  return value === undefined ? undefined : optionalOf(value);
}

/** `o.optFlatMap(v, body)`. */
export function optionalFlatMap(optional: Result, body: (value: Value) => Result): Result {
  if (!(optional instanceof Optional)) return undefined;
  if (optional.value === undefined) return optional;
  const value = body(optional.value);
  return value instanceof Optional ? value : undefined;
}

/** `o.or(other)`: evaluates `other` only if `o` is none. */
export function optionalOr(optional: Result, other: () => Result): Result {
  if (!(optional instanceof Optional)) return undefined;
  if (optional.value !== undefined) return optional;
  const value = other();
  return value instanceof Optional ? value : undefined;
}

/** `o.orValue(other)`: evaluates `other` only if `o` is none. */
export function optionalOrValue(optional: Result, other: () => Result): Result {
  if (!(optional instanceof Optional)) return undefined;
  // Not `??`: null is a value.
  return optional.value === undefined ? other() : optional.value;
}
