/** Converts the variables of one evaluation by their declared types. */
import type { Declarations } from "./options.ts";
import type { Variables } from "./program.ts";
import { readValue } from "./read-value.ts";
import { isPlain } from "./realms.ts";

const noVariables: Variables = Object.freeze({});

/** Says whether variables are taken as they are: each is from JSON. */
export const areTakenAsTheyAre = (declarations: Declarations): boolean =>
  [...declarations.values()].every(({ type, isJson }) => isJson && type.kind === "dyn");

/** Answers how variables are read before an evaluation. Where all are from JSON, nothing is copied. */
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

/** Of a value that is promised to be from JSON only the outside is looked at. */
const looksLike = (kind: string, value: unknown): boolean =>
  kind === "dyn" || (kind === "list" && Array.isArray(value)) || (kind === "map" && isPlain(value));
