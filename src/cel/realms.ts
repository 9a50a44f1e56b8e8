/** Recognises Dates, Maps, bytes and plain objects of any realm (a frame, a test in its own context): `instanceof` knows the classes of one realm only. */

const tagOf = (value: unknown): string => Object.prototype.toString.call(value);

/** Says whether a value is a Date of whatever realm. */
export const isDate = (value: unknown): value is Date => value instanceof Date || tagOf(value) === "[object Date]";

/** Says whether a value is a Map of whatever realm. */
export const isMap = (value: unknown): value is ReadonlyMap<unknown, unknown> => value instanceof Map || tagOf(value) === "[object Map]";

/** Bytes of this realm; undefined for what is none. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  return ArrayBuffer.isView(value) && tagOf(value) === "[object Uint8Array]"
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice()
    : undefined;
}

/** Says whether a value is an object that somebody wrote down or parsed, not the instance of a class. */
export function isPlain(value: unknown): value is { readonly [name: string]: unknown } {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || isFirst(prototype);
}

/** Whether it is what all objects of a realm inherit. */
const isFirst = (prototype: unknown): boolean =>
  typeof prototype === "object" &&
  prototype !== null &&
  Object.getPrototypeOf(prototype) === null &&
  Object.hasOwn(prototype, "isPrototypeOf");
