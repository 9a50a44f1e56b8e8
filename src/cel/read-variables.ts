/** Converts the variables of one evaluation by their declared types. */
import type { Declarations } from "./options.ts";
import type { Variables } from "./program.ts";
import { readValue } from "./read-value.ts";
import { isPlain } from "./realms.ts";

const noVariables: Variables = Object.freeze({});

/** Returns whether variables need no conversion, because all are declared as `json`. */
export const areTakenAsTheyAre = (declarations: Declarations): boolean =>
  [...declarations.values()].every(({ type, isJson }) => isJson && type.kind === "dyn");

/** Returns the function that converts the variables of an evaluation. If all are declared as `json`, nothing is copied. */
export function readerFor(declarations: Declarations): (given?: Variables) => object {
  const declared = [...declarations];
  const takesAll = areTakenAsTheyAre(declarations);
  return (given = noVariables) => {
    if (!isPlain(given)) throw new TypeError("the variables must be a plain object");
    if (takesAll) return given;
    const values: { [name: string]: unknown } = {};
    for (const [name, { type, isJson }] of declared) {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (value === undefined) continue;
      values[name] = isJson && looksLike(type.kind, value) ? value : readValue(type, value, name);
    }
    return values;
  };
}

/** Returns whether a `json` value has the declared outermost type; what it contains is not checked. */
const looksLike = (kind: string, value: unknown): boolean =>
  kind === "dyn" || (kind === "list" && Array.isArray(value)) || (kind === "map" && isPlain(value));
