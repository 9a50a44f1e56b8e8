/** Equality, unique items and divisibility. The usual implementations confuse property names, take quadratic time, or round. */
import { work } from "../../runtime/cel/work.ts";

/** Returns the indices of the first two items that are equal as JSON (numbers by value, members in any order). */
export function firstRepetition(items: readonly unknown[]): readonly [first: number, second: number] | undefined {
  const seen = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const text = canonical(item);
    const before = seen.get(text);
    if (before !== undefined) return [before, index];
    seen.set(text, index);
  }
  return undefined;
}

/** Work units for one part of a compared value. */
const partCost = 30;

/** Prints JSON so that equal values give equal strings. */
function canonical(value: unknown): string {
  if (typeof value === "string") {
    work(partCost + value.length / 2);
    return JSON.stringify(value);
  }
  work(partCost);
  if (typeof value !== "object" || value === null) return value === 0 ? "0" : String(value); // zeros are equal, whatever their sign
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, inner]) => `${canonical(name)}:${canonical(inner)}`).join(",")}}`;
}

/** Returns whether a value equals a constant as JSON. The constant is traversed, because the value may be much larger. */
export function equal(value: unknown, constant: unknown): boolean {
  if (value === constant) return true;
  if (!isObject(value) || !isObject(constant) || Array.isArray(value) !== Array.isArray(constant)) return false;
  const names = Object.keys(constant);
  if (!names.every((name) => Object.hasOwn(value, name) && equal(value[name], constant[name]))) return false;
  const { length } = Array.isArray(value) ? value : Object.keys(value);
  work(length);
  return length === names.length;
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } => typeof value === "object" && value !== null;

/** Returns whether a value equals one of several, as JSON. */
export const isOneOf = (value: unknown, values: readonly unknown[]): boolean =>
  isObject(value) ? values.some((one) => equal(value, one)) : values.includes(value);

/** Counts code points. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Returns whether an object has an own property. */
export const isOwn = (object: object, name: string): boolean => Object.hasOwn(object, name);

/** Returns whether a number is a multiple of another in decimal notation, where binary arithmetic would say no: 19.99 of 0.01. */
export function isMultiple(value: number, of: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(of)) return value % of === 0;
  const [left, right] = [decimal(value), decimal(of)];
  if (left === undefined || right === undefined || right.digits === 0n) return false;
  const exponent = Math.min(left.exponent, right.exponent);
  const scaled = ({ digits, exponent: own }: Decimal): bigint => digits * 10n ** BigInt(own - exponent);
  return scaled(left) % scaled(right) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimal(value: number): Decimal | undefined {
  const [, whole, fraction = "", exponent = "0"] = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return whole === undefined ? undefined : { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
