/** Converts patterns of actions to types that include every action which the pattern matches. */
import { keyword, type Type } from "./type.ts";

/** The characters that begin a wildcard in the full dialect. */
const wildcard = /[*?[\]{}\\!]/;

/** Returns whether a pattern names no action of its own, and matches every action. */
export const matchesAll = (pattern: string): boolean => /^[*:]*$/.test(pattern) && pattern.includes("*");

/** Returns the type of a rule's action; only a string with `*` in it is a pattern. */
export function typeOfAction(pattern: string): Type {
  return pattern.includes("*") ? templateType(pattern) : { kind: "literal", value: pattern };
}

/** Returns the types of an action that a role policy lists: it is compared literally, and as a pattern in the full dialect. */
export function typesOfListedAction(pattern: string): readonly Type[] {
  return wildcard.test(pattern) ? [{ kind: "literal", value: pattern }, templateType(pattern)] : [{ kind: "literal", value: pattern }];
}

/** `*` becomes `${string}`; from the first other wildcard on, the rest is `${string}`. */
function templateType(pattern: string): Type {
  const end = pattern.search(/[?[\]{}\\!]/);
  const texts = (end === -1 ? pattern : `${pattern.slice(0, end)}*`).split(/\*+/);
  return texts.every((text) => text === "") ? keyword("string") : { kind: "template", texts };
}
