/** Emits the functions that read attributes: a plain property read, guarded against names that a prototype may have. */
import { type Code, js, member, quoted } from "../code.ts";

/**
 * Emits a function that reads an attribute of a JSON value. No name reaches a prototype: if an empty list has a
 * property of the name, inherited from the language or added by someone, only own properties are read. V8 evaluates
 * the guard at compile time, so it costs nothing.
 */
export const emitAttributeReader = (field: string): Code =>
  js`(of) => rt.bare${member(field)} === undefined && typeof of === "object" && of !== null ? of${member(field)} : rt.get(of, ${quoted(field)})`;

/** Names that always need an own-property check: lists have items under numbers, and every object has `__proto__`. */
export const isReadable = (field: string): boolean => !/^(?:\d|__)/.test(field);
