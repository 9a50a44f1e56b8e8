/** Writes attributes of which no text needs an escape as JSON.stringify does: it looks at every character, and takes four times as long. */
import type { JsonObject } from "../cel/value.ts";
import { remembering } from "../decide/remember.ts";

/** What is written for a name, by what stood before it: nothing, a text, or anything else. */
interface Written {
  readonly beforeText: readonly [string, string, string];
  readonly beforeOther: readonly [string, string, string];
}

/** Names of attributes that are remembered as they are written. */
const mostNames = 2048;

const written = remembering(mostNames, (name): Written => {
  const colon = `${JSON.stringify(name)}:`;
  return {
    beforeText: [`{${colon}"`, `",${colon}"`, `,${colon}"`],
    beforeOther: [`{${colon}`, `",${colon}`, `,${colon}`],
  };
});

const nothing = 0;
const text = 1;
const other = 2;

/** More pieces than these are not put together one by one. */
const mostAttributes = 64;

/** Writes the attributes of a request without escapes behind a text. */
export function addPlainObject(before: string, attributes: JsonObject): string {
  let all = before;
  let last: typeof nothing | typeof text | typeof other = nothing;
  let count = 0;
  // Attributes come from JSON, and nothing that can be inherited is enumerable: a list of names would cost as much as all the rest.
  for (const name in attributes) {
    if (++count > mostAttributes) return before + JSON.stringify(attributes);
    const value = attributes[name];
    const { beforeText, beforeOther } = written(name);
    if (typeof value === "string") {
      all += beforeText[last];
      all += value;
      last = text;
    } else {
      all += beforeOther[last];
      all += JSON.stringify(value);
      last = other;
    }
  }
  return all + (last === text ? '"}' : last === other ? "}" : "{}");
}
