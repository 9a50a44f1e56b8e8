/** Checks the fields of objects that a program passes, and reports unknown ones. */
import { addProblem, describeType } from "./problems.ts";
import type { CopyState } from "./snapshot.ts";

/** An object passed by the caller. */
export type Fields = { readonly [name: string]: unknown };

/**
 * Returns the value if it is an object, and reports its unknown fields, which are probably typing errors. Anything
 * else is reported.
 */
export function fieldsOf(value: unknown, at: string, known: readonly string[], state: CopyState): Fields {
  if (!isFields(value)) {
    addProblem(state, at, `must be an object with ${known.slice(0, 3).join(", ")}: ${describeType(value)}`);
    return {};
  }
  reportUnknownFields(value, at, known, state);
  return value;
}

/** Reports unknown fields. */
export function reportUnknownFields(value: Fields, at: string, known: readonly string[], state: CopyState): void {
  for (const name of Object.keys(value))
    if (!known.includes(name) && value[name] !== undefined)
      addProblem(state, at === "" ? name : `${at}.${name}`, `is unknown: the fields are ${known.join(", ")}`);
}

/** Whether a value is an object that is not a list. */
export const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
