/** The table of function calls that cannot fail, by the kinds of their arguments. */
import { any, double, finite, infinite, int, type Kinds, list, map, nonzero, ordered, text, truth } from "./value-kinds.ts";

/** Argument kinds for which a function never fails. */
export interface SureCall {
  readonly name: string;
  /** `a.f(b)`: the first parameter is `a`. */
  readonly receiver: boolean;
  readonly parameters: readonly Kinds[];
  readonly result: Kinds;
}

const operator = (name: string, parameters: readonly Kinds[], result: Kinds): SureCall => ({ name, receiver: false, parameters, result });
const global = operator;
const method = (name: string, parameters: readonly Kinds[], result: Kinds): SureCall => ({ name, receiver: true, parameters, result });

const sized = text | list | map;

/** Families of kinds that have a common order. */
const families: readonly Kinds[] = [ordered, text, truth];

const orderings = ["_<_", "_<=_", "_>_", "_>=_"].flatMap((name) => families.map((family) => operator(name, [family, family], truth)));

// Sums of finite doubles may be infinite; infinity minus infinity and infinity times zero are NaN, which has no
// order.
const arithmetic = ["_+_", "_-_", "_*_"].flatMap((name) => [
  operator(name, [finite, finite], finite | infinite),
  operator(name, [double, double], double),
]);

const sets = ["hasIntersection", "has_intersection", "isSubset", "is_subset"].flatMap((name) => [
  global(name, [list, list], truth),
  method(name, [list, list], truth),
]);

/** All calls. For the same form, those with the narrower result come first. */
export const sureCalls: readonly SureCall[] = [
  operator("_==_", [any, any], truth),
  operator("_!=_", [any, any], truth),
  operator("!_", [truth], truth),
  operator("@in", [any, list | map], truth),
  operator("-_", [finite], finite),
  operator("_/_", [finite, nonzero], finite | infinite),
  operator("_/_", [double, double], double),
  ...orderings,
  ...arithmetic,
  global("size", [sized], int),
  method("size", [sized], int),
  method("contains", [text, text], truth),
  method("startsWith", [text, text], truth),
  method("endsWith", [text, text], truth),
  method("indexOf", [text, text], int),
  method("lastIndexOf", [text, text], int),
  method("lowerAscii", [text], text),
  method("upperAscii", [text], text),
  method("trim", [text], text),
  ...sets,
];

const byName = new Map<string, SureCall[]>();
for (const call of sureCalls) byName.set(call.name, [...(byName.get(call.name) ?? []), call]);

/** The calls of one function. */
export const sureCallsOf = (name: string): readonly SureCall[] => byName.get(name) ?? none;

const none: readonly SureCall[] = [];
