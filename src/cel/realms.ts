/**
 * Recognises Dates, Maps, bytes and plain objects of any JavaScript realm (a frame, a test context), where `instanceof` only knows the
 * classes of its own.
 */

const tagOf = (value: unknown): string => Object.prototype.toString.call(value);

/** Returns whether a value is a Date of any realm. */
export const isDate = (value: unknown): value is Date => value instanceof Date || tagOf(value) === "[object Date]";

/** Returns whether a value is a Map of any realm. */
export const isMap = (value: unknown): value is ReadonlyMap<unknown, unknown> => value instanceof Map || tagOf(value) === "[object Map]";

/** Returns bytes as a Uint8Array of this realm; undefined for other values. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  return ArrayBuffer.isView(value) && tagOf(value) === "[object Uint8Array]"
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice()
    : undefined;
}

/** Returns whether a value is a plain object, not an instance of a class. */
export function isPlain(value: unknown): value is { readonly [name: string]: unknown } {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || isFirst(prototype);
}

/** Returns whether an object is the `Object.prototype` of some realm. */
const isFirst = (prototype: unknown): boolean =>
  typeof prototype === "object" &&
  prototype !== null &&
  Object.getPrototypeOf(prototype) === null &&
  Object.hasOwn(prototype, "isPrototypeOf");
