/** Sorts lists by keys, which must all be of one type that has an order. */
import { compare } from "./compare.ts";
import { EvalError, evalError } from "./error.ts";
import { kindOf, type Kind } from "./kind.ts";
import type { Value } from "./value.ts";
import { work } from "./work.ts";

const sortable: ReadonlySet<Kind> = new Set(["int", "uint", "double", "bool", "string", "bytes", "timestamp", "duration"]);

/** Work for the object created for each key. */
const objectKept = 32;

/** Returns the elements in the order of their keys; stable. An error if the keys have no order or different types. */
export function sortByKeys(list: readonly Value[], keys: readonly Value[]): readonly Value[] | EvalError {
  const [first] = keys;
  if (first === undefined) return list;
  const kind = kindOf(first);
  if (!sortable.has(kind)) return evalError("invalid argument", "list elements must be comparable");
  if (keys.some((key) => kindOf(key) !== kind)) return evalError("invalid argument", "list elements must have the same type");
  work(keys.length * (objectKept + 2 * Math.ceil(Math.log2(keys.length + 1))));
  const order = keys.map((key, i) => ({ key, i }));
  // Keys of one sortable type always have an order, except NaN, which compares as equal.
  order.sort((left, right) => {
    const compared = compare(left.key, right.key);
    return compared instanceof EvalError ? 0 : (compared ?? 0);
  });
  return order.map(({ i }) => list[i] ?? null);
}
