/** Compares two JSON documents, and lists where they differ. */
import { scanJson } from "../../runtime/wire/scan.ts";

/** A difference: its JSON pointer, and the old and new value; absent where there is none. */
export interface ValueDifference {
  readonly what: string;
  readonly old?: string;
  readonly new?: string;
}

/** The most differences that are listed; beyond that, a reviewer compares the documents themselves. */
const maxDifferences = 50;

/** Lists the differences by JSON pointer, from the outside in. Input that is not JSON is compared as a whole. */
export function differencesOf(old: string, is: string): readonly ValueDifference[] {
  const found: ValueDifference[] = [];
  const walk = (path: string, left: Read, right: Read): void => {
    if (left !== undefined && right !== undefined) {
      if (JSON.stringify(left.value) === JSON.stringify(right.value)) return;
      const [before, now] = [membersOf(left.value), membersOf(right.value)];
      if (before !== undefined && now !== undefined && Array.isArray(left.value) === Array.isArray(right.value)) {
        for (const name of new Set([...before.keys(), ...now.keys()]))
          walk(`${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, readOf(before, name), readOf(now, name));
        return;
      }
    }
    found.push({
      what: path,
      ...(left !== undefined && { old: JSON.stringify(left.value) }),
      ...(right !== undefined && { new: JSON.stringify(right.value) }),
    });
  };
  const [left, right] = [parsed(old), parsed(is)];
  if (left === undefined || right === undefined) return [{ what: "text" }];
  walk("", left, right);
  if (found.length === 0) return [{ what: "spaces, or the order of names" }];
  return found.length <= maxDifferences
    ? found
    : [...found.slice(0, maxDifferences), { what: `${found.length - maxDifferences} other places` }];
}

type Read = { readonly value: unknown } | undefined;

/** Undefined also where a name occurs twice, of which only one would be compared, and where the nesting is too deep to be walked. */
const parsed = (text: string): Read => (scanJson(text) === undefined ? { value: JSON.parse(text) } : undefined);

const readOf = (members: ReadonlyMap<string, unknown>, name: string): Read =>
  members.has(name) ? { value: members.get(name) } : undefined;

const membersOf = (value: unknown): ReadonlyMap<string, unknown> | undefined =>
  typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined;
