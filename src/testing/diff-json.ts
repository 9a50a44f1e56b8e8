/** Lists where two JSON values differ. */
import { sameJson } from "./same-json.ts";
import type { Value } from "../../runtime/cel/value.ts";

/** One path, and the difference there. */
export interface JsonDifference {
  /** The path, such as `owner.teams[2]`; "" is the whole value. */
  readonly path: string;
  readonly message: string;
}

/** The most differences that are listed. */
const maxDifferences = 20;

/** Lists the differences, from the outside in. */
export function diffJson(expected: Value, actual: Value): readonly JsonDifference[] {
  const found: JsonDifference[] = [];
  const walk = (path: string, left: unknown, right: unknown): void => {
    if (found.length >= maxDifferences || sameJson(left, right)) return;
    if (Array.isArray(left) && Array.isArray(right)) {
      for (let index = 0; index < Math.max(left.length, right.length); index++) walk(`${path}[${index}]`, left[index], right[index]);
    } else if (isObject(left) && isObject(right)) {
      for (const name of new Set([...Object.keys(left), ...Object.keys(right)]))
        walk(path === "" ? name : `${path}.${name}`, own(left, name), own(right, name));
    } else found.push({ path, message: `expected ${printJson(left)}, found ${printJson(right)}` });
  };
  walk("", expected, actual);
  return found;
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const own = (object: { readonly [name: string]: unknown }, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;
const printJson = (value: unknown): string => (value === undefined ? "nothing" : (JSON.stringify(value) ?? "nothing"));
