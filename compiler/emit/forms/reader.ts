/** Emits the functions that read attributes: a plain property read, guarded against whatever a prototype may have. */
import { type Code, js, member, quoted } from "../code.ts";

/**
 * Emits a function that reads an attribute of a value from JSON. No name reaches a prototype: where an empty list has a
 * property of the name, because the language gives it one or somebody has put it there, only own properties are asked.
 * An engine sees that it has none, and nothing of the guard is left.
 */
export const readAttribute = (field: string): Code =>
  js`(of) => rt.bare${member(field)} === undefined && typeof of === "object" && of !== null ? of${member(field)} : rt.get(of, ${quoted(field)})`;

/** Names that are always asked of own properties: a list has its items under numbers, and `__proto__` is no property. */
export const isReadable = (field: string): boolean => !/^(?:\d|__)/.test(field);
