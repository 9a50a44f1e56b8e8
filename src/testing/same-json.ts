/** Are two values the same as JSON? */

/** Compares values that came out of JSON or go into it; the order of an object's members says nothing. */
export const sameJson = (left: unknown, right: unknown): boolean => canonicalJson(left) === canonicalJson(right);

/** Prints a value so that equal values are equal texts: members in the order of their names, -0 as 0. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}
