/** Recognises objects whose contents are not in their fields, such as a Map. */

/**
 * Says whether what an object holds stands elsewhere than in its fields: a Map, a promise that nobody waited for, private
 * fields. JSON would make `{}` of it, and a rule that asks for an attribute would not find it.
 */
export function isHidden(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return false;
  if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value) || tagOf(value) === "[object String]") return true;
  return Object.getPrototypeOf(prototype) !== null && Object.keys(value).length === 0;
}

/** Tells a text in a box from others, whatever realm it is of. */
const tagOf = (value: object): string => Object.prototype.toString.call(value);
