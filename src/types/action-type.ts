/** Patterns of actions -> types: every action that a pattern matches is of its type. */
import { word, type Type } from "./type.ts";

/** A character with which something other than itself may begin. */
const special = /[*?[\]{}\\!]/;

/** Does a pattern name nothing, and match whatever others name? */
export const matchesAll = (pattern: string): boolean => /^[*:]*$/.test(pattern) && pattern.includes("*");

/** Returns the type of the actions that a rule is about; only a text with `*` in it is a pattern. */
export function typeOfAction(pattern: string): Type {
  return pattern.includes("*") ? template(pattern) : { kind: "literal", value: pattern };
}

/** Returns the type of the actions that a role policy lists: each is compared as a text, and as a pattern in the full dialect. */
export function typesOfListedAction(pattern: string): readonly Type[] {
  return special.test(pattern) ? [{ kind: "literal", value: pattern }, template(pattern)] : [{ kind: "literal", value: pattern }];
}

/** Stars are any text; from the first sign of another kind on, everything is. */
function template(pattern: string): Type {
  const end = pattern.search(/[?[\]{}\\!]/);
  const texts = (end === -1 ? pattern : `${pattern.slice(0, end)}*`).split(/\*+/);
  return texts.every((text) => text === "") ? word("string") : { kind: "template", texts };
}
