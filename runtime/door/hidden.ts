/** Recognises objects whose contents are not in their properties, such as a Map. */

/**
 * Whether an object's contents are elsewhere than in its own properties: a Map, a promise that was not awaited,
 * private fields. JSON would turn it into `{}`, and a rule that tests an attribute would silently not find it.
 */
export function isHidden(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return false;
  if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value) || tagOf(value) === "[object String]") return true;
  return Object.getPrototypeOf(prototype) !== null && Object.keys(value).length === 0;
}

/** Recognises String objects of any realm. */
const tagOf = (value: object): string => Object.prototype.toString.call(value);
