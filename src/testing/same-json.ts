/** Compares values as JSON. */

/** Returns whether two JSON values are equal; the order of an object's members is irrelevant. */
export const sameJson = (left: unknown, right: unknown): boolean => canonicalJson(left) === canonicalJson(right);

/** Prints a value so that equal values give equal strings: members sorted by name, -0 as 0. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}
