/** Equality, arrays without repetition, and exact divisibility: questions whose usual answers mistake names, take the square of the data, or round. */
import { work } from "../../runtime/cel/work.ts";

/** Returns the indexes of the first two items that are equal as JSON (numbers by value, members in any order). */
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

/** Units of work for one part of what is compared. */
const price = 30;

/** Prints JSON so that equal values have equal texts. */
function canonical(value: unknown): string {
  if (typeof value === "string") {
    work(price + value.length / 2);
    return JSON.stringify(value);
  }
  work(price);
  if (typeof value !== "object" || value === null) return value === 0 ? "0" : String(value); // a zero has no sign
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, inner]) => `${canonical(name)}:${canonical(inner)}`).join(",")}}`;
}

/** Says whether a value is equal to a constant as JSON. The constant says what is looked at: the value may be much larger. */
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

/** Says whether a value is equal to one of some, as JSON. */
export const isOneOf = (value: unknown, values: readonly unknown[]): boolean =>
  isObject(value) ? values.some((one) => equal(value, one)) : values.includes(value);

/** Counts characters: a pair of code units is one. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Says whether an object has a member of its own. */
export const isOwn = (object: object, name: string): boolean => Object.hasOwn(object, name);

/** Says whether a number is a multiple of another as both are written in decimal, where binary fractions would say no: 19.99 of 0.01. */
export function isMultiple(value: number, of: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(of)) return value % of === 0;
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
