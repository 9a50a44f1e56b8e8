/** The constraints that several fields share, and their messages. */
import { scopeForm, versionForm } from "../decide/policy-name.ts";
import type { Field } from "./field.ts";
import { inBackticks } from "./position.ts";
import { reportViolation, type Reading, type LazyPath } from "./reading.ts";

/** Requires a string that is not empty; unset counts as empty. */
export function requireText(reading: Reading, at: LazyPath, field: Field, name: string, value: string, what: string): void {
  if (value === "") reportViolation(reading, at, field, name, "required", `${what} is required`);
}

// The last valid version and scope: the resources of a request usually share them, so they are validated once.
let soundVersion = "";
let soundScope = "";
const longestKept = 64;

/** Requires a valid policy version (letters, digits, underscores); empty is allowed. */
export function requireVersion(reading: Reading, at: LazyPath, field: Field, name: string, value: string): void {
  if (value === "" || value === soundVersion) return;
  if (versionForm.test(value)) {
    if (value.length <= longestKept) soundVersion = value;
  } else {
    reportViolation(
      reading,
      at,
      field,
      name,
      "string.pattern",
      `${inBackticks(value)} is not a policy version: only letters, digits and underscores are allowed`,
    );
  }
}

/** Requires a valid scope: dot-separated names, or a single dot for the root; empty is allowed. */
export function requireScope(reading: Reading, at: LazyPath, field: Field, name: string, value: string): void {
  if (value === "" || value === soundScope) return;
  if (scopeForm.test(value)) {
    if (value.length <= longestKept) soundScope = value;
  } else {
    reportViolation(
      reading,
      at,
      field,
      name,
      "string.pattern",
      `${inBackticks(value)} is not a scope: write names of letters, digits, underscores and hyphens, separated by single dots (the first begins with a letter or a digit, and none with a hyphen)`,
    );
  }
}

/** How messages name the items of a list. */
interface Item {
  readonly one: string;
  readonly any: string;
  readonly many: string;
}

/** The items of `principal.roles`. */
export const role: Item = { one: "role", any: "a role", many: "roles" };
/** The items of `actions`. */
export const action: Item = { one: "action", any: "an action", many: "actions" };

/**
 * Requires a list with items that are neither empty nor repeated. Violations of the list come before those of its
 * items.
 */
export function requireUnique(
  reading: Reading,
  at: LazyPath,
  field: Field,
  name: string,
  values: readonly string[],
  { one, any, many }: Item,
): void {
  if (values.length === 0) {
    reportViolation(reading, at, field, name, "required", `at least one ${one} is required`);
    return;
  }
  const repeated = firstRepeated(values);
  if (repeated !== undefined)
    reportViolation(
      reading,
      at,
      field,
      name,
      "repeated.unique",
      `${many} must be unique, but ${inBackticks(repeated)} is there more than once`,
    );
  for (let index = 0; index < values.length; index++) {
    if (values[index] === "")
      reportViolation(reading, at, field, name, "string.min_len", `the name of ${any} must not be empty`, { index });
  }
}

// Up to this many items, comparing each pair is faster than a Set and allocates nothing.
const few = 16;

function firstRepeated(values: readonly string[]): string | undefined {
  if (values.length > few) {
    const seen = new Set<string>();
    return values.find((value) => seen.size === seen.add(value).size);
  }
  for (let i = 1; i < values.length; i++) {
    for (let j = 0; j < i; j++) if (values[i] === values[j]) return values[i];
  }
  return undefined;
}
