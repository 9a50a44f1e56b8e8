/** JSON as `JSON.stringify` prints it, but for negative zero: conditions can tell it from zero, so its sign is kept. */

/** Prints a JSON value on one line. */
export function printJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(printJson).join(",")}]`;
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${printJson(member)}`)
    .join(",")}}`;
}
