/** The constraints that several fields share, and our sentences for them. */
import { scopeForm, versionForm } from "../decide/policy-name.ts";
import type { Field } from "./field.ts";
import { inBackticks } from "./position.ts";
import { violate, type Reading, type Standing } from "./reading.ts";

/** A text that must be there: unset and empty are one and the same. */
export function requireText(reading: Reading, at: Standing, field: Field, name: string, value: string, what: string): void {
  if (value === "") violate(reading, at, field, name, "required", `${what} is required`);
}

// The resources of a request mostly have one version and one scope: what was sound once is not looked at again.
let soundVersion = "";
let soundScope = "";
const longestKept = 64;

/** A policy version: letters, digits and underscores, or nothing. */
export function requireVersion(reading: Reading, at: Standing, field: Field, name: string, value: string): void {
  if (value === "" || value === soundVersion) return;
  if (versionForm.test(value)) {
    if (value.length <= longestKept) soundVersion = value;
  } else {
    violate(
      reading,
      at,
      field,
      name,
      "string.pattern",
      `${inBackticks(value)} is not a policy version: only letters, digits and underscores are allowed`,
    );
  }
}

/** A scope: dot-separated names, a lone dot for the root, or nothing. */
export function requireScope(reading: Reading, at: Standing, field: Field, name: string, value: string): void {
  if (value === "" || value === soundScope) return;
  if (scopeForm.test(value)) {
    if (value.length <= longestKept) soundScope = value;
  } else {
    violate(
      reading,
      at,
      field,
      name,
      "string.pattern",
      `${inBackticks(value)} is not a scope: write names of letters, digits, underscores and hyphens, separated by single dots (the first begins with a letter or a digit, and none with a hyphen)`,
    );
  }
}

/** What the items of a list are called. */
interface Item {
  readonly one: string;
  readonly any: string;
  readonly many: string;
}

/** The items of `principal.roles`. */
export const role: Item = { one: "role", any: "a role", many: "roles" };
/** The items of `actions`. */
export const action: Item = { one: "action", any: "an action", many: "actions" };

/** A list that must have items, each of them there and none of them twice; the list's own rules come before its items'. */
export function requireUnique(
  reading: Reading,
  at: Standing,
  field: Field,
  name: string,
  values: readonly string[],
  { one, any, many }: Item,
): void {
  if (values.length === 0) {
    violate(reading, at, field, name, "required", `at least one ${one} is required`);
    return;
  }
  const repeated = firstRepeated(values);
  if (repeated !== undefined)
    violate(reading, at, field, name, "repeated.unique", `${many} must be unique, but ${inBackticks(repeated)} is there more than once`);
  for (let index = 0; index < values.length; index++) {
    if (values[index] === "") violate(reading, at, field, name, "string.min_len", `the name of ${any} must not be empty`, { index });
  }
}

// Below this many items comparing each with each is faster than a set, and allocates nothing.
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
