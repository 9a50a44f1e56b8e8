/** Replaces, inserts and removes elements of lists that are ordered by a key. */
import { byUnits } from "../../runtime/order.ts";

/** Returns the list with the edits applied: by key, the new element, or undefined to remove it. Keys are unique. */
export function withEdits<T>(list: readonly T[], keyOf: (element: T) => string, edits: ReadonlyMap<string, T | undefined>): readonly T[] {
  if (edits.size === 0) return list;
  const next: T[] = [];
  let from = 0;
  const takeTo = (end: number): void => {
    for (const element of list.slice(from, end)) next.push(element);
  };
  for (const [key, element] of [...edits].sort(([left], [right]) => byUnits(left, right))) {
    const at = indexOf(list, keyOf, key, from);
    takeTo(at);
    if (element !== undefined) next.push(element);
    const replaced = list[at];
    from = replaced !== undefined && keyOf(replaced) === key ? at + 1 : at;
  }
  takeTo(list.length);
  return next;
}

/** Returns the element of a key. */
export function findIn<T>(list: readonly T[], keyOf: (element: T) => string, key: string): T | undefined {
  const found = list[indexOf(list, keyOf, key, 0)];
  return found !== undefined && keyOf(found) === key ? found : undefined;
}

/** Returns the index, at least `from`, of the first element whose key is not less than `key`. */
function indexOf<T>(list: readonly T[], keyOf: (element: T) => string, key: string, from: number): number {
  let [low, high] = [from, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const element = list[middle];
    if (element !== undefined && byUnits(keyOf(element), key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
