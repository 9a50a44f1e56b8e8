/** Checks the fields of objects that a program passes: which are known, and which are probably misspelt. */
import { note, wordFor } from "./problems.ts";
import type { Taking } from "./snapshot.ts";

/** What a program says, by the names of its fields. */
export type Fields = { readonly [name: string]: unknown };

/** Looks at the fields of an object; one that nobody knows is a slip of the pen. */
export function fieldsOf(value: unknown, at: string, known: readonly string[], taking: Taking): Fields {
  if (!isFields(value)) {
    note(taking, at, `must be an object with ${known.slice(0, 3).join(", ")}: ${wordFor(value)}`);
    return {};
  }
  noteStrangers(value, at, known, taking);
  return value;
}

/** Notes the fields that nobody knows. */
export function noteStrangers(value: Fields, at: string, known: readonly string[], taking: Taking): void {
  for (const name of Object.keys(value))
    if (!known.includes(name) && value[name] !== undefined)
      note(taking, at === "" ? name : `${at}.${name}`, `is not known here: there is ${known.join(", ")}`);
}

/** Says whether something has fields. */
export const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
