/** Writes the value of an output as JSON. The result is that of JSON.stringify, but negative zero keeps its sign, as in the JSON of protobuf. */
import type { Json } from "../cel/to-json.ts";

/** Returns the JSON text of a value; it is nested as little as `toJson` allows. */
export const writeOutputValue = (value: Json): string => (holdsNegativeZero(value) ? write(value) : JSON.stringify(value));

function holdsNegativeZero(value: Json): boolean {
  if (typeof value === "number") return Object.is(value, -0);
  if (typeof value !== "object" || value === null) return false;
  return isList(value) ? value.some(holdsNegativeZero) : Object.values(value).some(holdsNegativeZero);
}

function write(value: Json): string {
  if (Object.is(value, -0)) return "-0";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(write).join(",")}]`;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`);
  return `{${members.join(",")}}`;
}

const isList = (value: readonly Json[] | { readonly [name: string]: Json }): value is readonly Json[] => Array.isArray(value);
