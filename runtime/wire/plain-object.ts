/**
 * Writes attributes whose strings need no escapes. The result is that of JSON.stringify in a quarter of its time,
 * because it does not inspect each character.
 */
import type { JsonObject } from "../cel/value.ts";
import { memoized } from "../decide/memoize.ts";

/**
 * What to write for an attribute name, indexed by what precedes it (`nothing`, `text` or `other`): `beforeText` if
 * the value is a string, `beforeOther` if it is not.
 */
interface Written {
  readonly name: string;
  readonly beforeText: readonly [string, string, string];
  readonly beforeOther: readonly [string, string, string];
}

/** How many attribute names are cached, and the length up to which they are. */
const maxNames = 2048;
const longestName = 64;

const writeName = (name: string): Written => {
  const colon = `${JSON.stringify(name)}:`;
  return {
    name,
    beforeText: [`{${colon}"`, `",${colon}"`, `,${colon}"`],
    beforeOther: [`{${colon}`, `",${colon}`, `,${colon}`],
  };
};

const written = memoized(maxNames, writeName, longestName);

const nothing = 0;
const text = 1;
const other = 2;

/** An object with more attributes goes to JSON.stringify. */
const maxAttributes = 64;

/**
 * Returns a function that writes attributes as JSON without escapes. It remembers the names of its previous call by
 * position, because consecutive objects usually have the same names in the same order.
 */
export function plainObjectWriter(): (attributes: JsonObject) => string {
  const before: Written[] = Array.from({ length: maxAttributes }, () => writeName(""));
  return (attributes) => {
    let all = "";
    let last: typeof nothing | typeof text | typeof other = nothing;
    let count = 0;
    // Attributes come from JSON and inherit nothing enumerable, so `for...in` is safe; Object.keys would double the
    // cost.
    for (const name in attributes) {
      if (count === maxAttributes) return JSON.stringify(attributes);
      let own = before[count];
      if (own?.name !== name) {
        own = written(name);
        if (name.length <= longestName) before[count] = own;
      }
      count++;
      const value = attributes[name];
      if (typeof value === "string") {
        all += own.beforeText[last];
        all += value;
        last = text;
      } else {
        all += own.beforeOther[last];
        all += JSON.stringify(value);
        last = other;
      }
    }
    return all + (last === text ? '"}' : last === other ? "}" : "{}");
  };
}
