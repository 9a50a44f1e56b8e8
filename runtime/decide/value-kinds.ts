/** Kinds of values as bits. Finer than CEL's types: they also tell which doubles are ordered and which lists are short. */
import { Uint, type Value } from "../cel/value.ts";

/** A set of kinds, one bit each; zero if nothing is certain. */
export type Kinds = number;

/** A missing attribute. */
export const absent: Kinds = 1;
/** `null`, `bool`, `string`. */
export const nothing: Kinds = 1 << 1;
export const truth: Kinds = 1 << 2;
export const text: Kinds = 1 << 3;
/** `int` and `uint`. */
export const int: Kinds = 1 << 4;
export const uint: Kinds = 1 << 5;
/** Doubles: zero, other finite ones, infinities, NaN. */
export const zero: Kinds = 1 << 6;
export const nonzero: Kinds = 1 << 7;
export const infinite: Kinds = 1 << 8;
export const unordered: Kinds = 1 << 9;
/** Lists of up to `maxElements`: only strings, only finite doubles, any other. `otherShort` is used only within `short`. */
export const texts: Kinds = 1 << 10;
export const numbers: Kinds = 1 << 11;
export const otherShort: Kinds = 1 << 12;
/** Lists of more than `maxElements`. */
export const long: Kinds = 1 << 13;
/** Maps from JSON, and all other values. */
export const map: Kinds = 1 << 14;
export const other: Kinds = 1 << 15;

/** Unions of the kinds above. `ordered`: numbers that can be compared, so all but NaN. */
export const short: Kinds = texts | numbers | otherShort;
export const list: Kinds = short | long;
export const finite: Kinds = zero | nonzero;
export const ordered: Kinds = int | uint | finite | infinite;
export const double: Kinds = finite | infinite | unordered;
/** Any value that exists. */
export const any: Kinds = (1 << 16) - 1 - absent;
/** The kinds of values that JSON attributes have. */
export const json: Kinds = nothing | truth | text | finite | list | map;

/** Most elements of a short list. */
export const maxElements = 64;

// Local constants: in a separate realm, globals are looked up on each read.
const { isArray } = Array;
const { getPrototypeOf, prototype } = Object;

/** Whether a value has one of some kinds; `undefined` stands for a missing attribute. */
export function isOfKinds(value: Value | undefined, kinds: Kinds): boolean {
  switch (typeof value) {
    case "string":
      return (kinds & text) !== 0;
    case "number":
      return (kinds & kindOfDouble(value)) !== 0;
    case "boolean":
      return (kinds & truth) !== 0;
    case "bigint":
      return (kinds & int) !== 0;
    case "undefined":
      return (kinds & absent) !== 0;
    default:
      return value === null ? (kinds & nothing) !== 0 : isListOf(value) ? isListOfKinds(value, kinds) : isMapOfKinds(value, kinds);
  }
}

const kindOfDouble = (value: number): Kinds =>
  value === 0 ? zero : value - value === 0 ? nonzero : Number.isNaN(value) ? unordered : infinite;

/** `Array.isArray` alone does not narrow readonly arrays. */
const isListOf = (value: object): value is readonly Value[] => isArray(value);

function isListOfKinds(list: readonly Value[], kinds: Kinds): boolean {
  if (list.length > maxElements) return (kinds & long) !== 0;
  if ((kinds & otherShort) !== 0) return true;
  return ((kinds & texts) !== 0 && areAll(list, text)) || ((kinds & numbers) !== 0 && areAll(list, finite));
}

/** An upper bound of the work of `isOfKinds`: for some lists it reads each element. */
export const priceOfKinds = (kinds: Kinds): number =>
  (kinds & otherShort) === 0 && (kinds & (texts | numbers)) !== 0 ? 1 + maxElements : 1;

function areAll(list: readonly Value[], kinds: Kinds): boolean {
  for (let at = 0; at < list.length; at++) if (!isOfKinds(list[at], kinds)) return false;
  return true;
}

// Objects from JSON are recognised by their prototype; of other objects only this much is known.
const isMapOfKinds = (value: object, kinds: Kinds): boolean =>
  (kinds & (getPrototypeOf(value) === prototype ? map : value instanceof Uint ? uint : other)) !== 0;

const each: readonly Kinds[] = Array.from({ length: 16 }, (_, at) => 1 << at);

/** Returns one kind of a value; for an empty list, the first that fits. */
export const kindsOf = (value: Value): Kinds => each.find((kind) => isOfKinds(value, kind)) ?? 0;
