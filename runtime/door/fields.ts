/** Checks the fields of objects that a program passes, and reports unknown ones. */
import { note, wordFor } from "./problems.ts";
import type { Taking } from "./snapshot.ts";

/** An object passed by the caller. */
export type Fields = { readonly [name: string]: unknown };

/**
 * Returns the value if it is an object, and reports its unknown fields, which are probably typing errors. Anything
 * else is reported.
 */
export function fieldsOf(value: unknown, at: string, known: readonly string[], taking: Taking): Fields {
  if (!isFields(value)) {
    note(taking, at, `must be an object with ${known.slice(0, 3).join(", ")}: ${wordFor(value)}`);
    return {};
  }
  noteStrangers(value, at, known, taking);
  return value;
}

/** Reports unknown fields. */
export function noteStrangers(value: Fields, at: string, known: readonly string[], taking: Taking): void {
  for (const name of Object.keys(value))
    if (!known.includes(name) && value[name] !== undefined)
      note(taking, at === "" ? name : `${at}.${name}`, `is unknown: the fields are ${known.join(", ")}`);
}

/** Whether a value is an object that is not a list. */
export const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
