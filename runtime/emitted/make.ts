/** Values that generated code makes: lists, maps, and what no JavaScript literal can say. */
import { makeMap } from "../cel/map.ts";
import { type CelMap, Uint, type Value } from "../cel/value.ts";
import { type Result, settle } from "./access.ts";

/** `[a, b]`; one element that is an error makes the list one. The list is the caller's own: it is not made twice. */
export function list(elements: readonly Result[]): readonly Value[] | undefined {
  return elements.every((element) => element !== undefined) ? elements : undefined;
}

/** `{k: v}`; a key given twice keeps its last value. */
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

/** `cel.bind`: hands `body` a function that computes `init` when first called, and remembers. */
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
