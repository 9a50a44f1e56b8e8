/**
 * Tracks which items of a list `contains` has evaluated, because ajv does not: one set for each schema in progress, filled by generated
 * code.
 */
import { work } from "../../runtime/cel/work.ts";

/** Indices; undefined when there are none, as for most values. */
type Items = ReadonlySet<number> | undefined;

/** The sets of the schemas in progress, the innermost last. Validation is synchronous, so one stack suffices. */
const openSets: (Set<number> | undefined)[] = [];

/** Clears the stack: a validation that was aborted has left its sets. */
export function resetItems(): void {
  if (openSets.length > 0) openSets.length = 0;
}

/** Begins the set of a nested schema. */
export function openItems(): void {
  openSets.push(undefined);
}

/** Ends the innermost set, and returns it. */
export const closeItems = (): Items => openSets.pop();

/** Marks an item as evaluated by the innermost schema. */
export function noteItem(index: number): void {
  work(8);
  ownItems().add(index);
}

/** Adds what a successful subschema about the same list has evaluated. */
export function noteItems(items: Items): void {
  if (items === undefined) return;
  work(8 * items.size);
  const own = ownItems();
  for (const index of items) own.add(index);
}

/** Returns whether the innermost schema has evaluated an item. */
export const isNoted = (index: number): boolean => openSets.at(-1)?.has(index) === true;

function ownItems(): Set<number> {
  const last = Math.max(0, openSets.length - 1);
  return (openSets[last] ??= new Set());
}
