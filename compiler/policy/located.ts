/** Converts what the YAML readers yield into what documents hold: a value with its span and its path. */
import { mapPresent } from "../map-present.ts";
import type { ListValue } from "../yaml/collection.ts";
import type { Placed } from "../yaml/shape.ts";
import type { Located } from "./document.ts";

/** Keeps a value and its place, and lets go of the YAML. */
export const located = <T>({ value, place }: Placed<T>): Located<T> => ({ value, span: place.at, path: place.path });

/** Does the same for the items of a list; an absent list is empty, and items that broke a rule are left out. */
export function locatedItems<T>(list: ListValue<Placed<T>> | undefined): readonly Located<T>[] {
  if (list === undefined || list.items.length === 0) return none;
  return mapPresent(list.items, (item) => (item.broken ? undefined : located(item)));
}

const none: readonly never[] = [];
