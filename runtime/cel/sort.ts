/** Sorting lists whose keys are all of one kind that has an order. */
import { compare } from "./compare.ts";
import { EvalError, evalError } from "./error.ts";
import { kindOf, type Kind } from "./kind.ts";
import type { Value } from "./value.ts";
import { work } from "./work.ts";

const sortable: ReadonlySet<Kind> = new Set(["int", "uint", "double", "bool", "string", "bytes", "timestamp", "duration"]);

/** Work for what is made of each key. */
const objectKept = 32;

/** Returns the elements in the order of their keys; equal keys keep their order. */
export function sortByKeys(list: readonly Value[], keys: readonly Value[]): readonly Value[] | EvalError {
  const [first] = keys;
  if (first === undefined) return list;
  const kind = kindOf(first);
  if (!sortable.has(kind)) return evalError("invalid argument", "list elements must be comparable");
  if (keys.some((key) => kindOf(key) !== kind)) return evalError("invalid argument", "list elements must have the same type");
  work(keys.length * (objectKept + 2 * Math.ceil(Math.log2(keys.length + 1))));
  const order = keys.map((key, i) => ({ key, i }));
  // Keys of one sortable kind always have an order, but for NaN, which stays where it is.
  order.sort((left, right) => {
    const compared = compare(left.key, right.key);
    return compared instanceof EvalError ? 0 : (compared ?? 0);
  });
  return order.map(({ i }) => list[i] ?? null);
}
