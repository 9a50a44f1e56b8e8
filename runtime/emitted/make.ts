/** Constructors of values for generated code: lists, maps, and values that have no JavaScript literal. */
import { makeMap } from "../cel/map.ts";
import { type CelMap, Uint, type Value } from "../cel/value.ts";
import { type Result, settle } from "./access.ts";

/**
 * `[a, b]`. If an element is an error, so is the list. The array is returned as it is, because the caller has just
 * created it.
 */
export function list(elements: readonly Result[]): readonly Value[] | undefined {
  return elements.every((element) => element !== undefined) ? elements : undefined;
}

/** `{k: v}`. If a key is given twice, the last value wins. */
export function mapOf(entries: readonly (readonly [Result, Result])[]): CelMap | undefined {
  const values: (readonly [Value, Value])[] = [];
  for (const [key, value] of entries) {
    if (key === undefined || value === undefined) return undefined;
    values.push([key, value]);
  }
  return settle(makeMap(values));
}

/** An unsigned integer. */
export const uint = (value: bigint): Uint => new Uint(value);

/** Bytes. */
export const bytes = (values: readonly number[]): Uint8Array => Uint8Array.from(values);

/** `cel.bind`: passes `body` a function that evaluates `init` on its first call and caches the result. */
export function bind<T>(init: () => Result, body: (read: () => Result) => T): T {
  let made = false;
  let value: Result;
  return body(() => {
    if (!made) {
      value = init();
      made = true;
    }
    return value;
  });
}
