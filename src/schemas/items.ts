/** Which items of a list `contains` has evaluated, of which ajv keeps no account: one for each schema under way about a value, kept by the code of validators. */
import { work } from "../../runtime/cel/work.ts";

/** Indexes; undefined where there are none, as of most values. */
type Items = ReadonlySet<number> | undefined;

/** Of the schemas under way, the innermost last. Validating never waits, so that there is but one way. */
const underWay: (Set<number> | undefined)[] = [];

/** Says that nothing is under way: what was broken off last time has closed nothing. */
export function forgetItems(): void {
  if (underWay.length > 0) underWay.length = 0;
}

/** Begins the account of one more schema. */
export function openItems(): void {
  underWay.push(undefined);
}

/** Ends it, and says what it holds. */
export const closeItems = (): Items => underWay.pop();

/** Notes an item as evaluated by the schema under way. */
export function noteItem(index: number): void {
  work(8);
  ownItems().add(index);
}

/** Notes what a schema about the same list has evaluated, which has held. */
export function noteItems(items: Items): void {
  if (items === undefined) return;
  work(8 * items.size);
  const own = ownItems();
  for (const index of items) own.add(index);
}

/** Says whether the schema under way has evaluated an item. */
export const isNoted = (index: number): boolean => underWay.at(-1)?.has(index) === true;

function ownItems(): Set<number> {
  const last = Math.max(0, underWay.length - 1);
  return (underWay[last] ??= new Set());
}
