/** Converts values of the YAML readers to those of documents: a value with span and path. */
import { mapPresent } from "../map-present.ts";
import type { ListValue } from "../yaml/collection.ts";
import type { Placed } from "../yaml/shape.ts";
import type { Located } from "./document.ts";

/** Keeps a value and its position, and drops the YAML node. */
export const located = <T>({ value, place }: Placed<T>): Located<T> => ({ value, span: place.at, path: place.path });

/** The same for the items of a list. An absent list is empty; items that broke a rule are left out. */
export function locatedItems<T>(list: ListValue<Placed<T>> | undefined): readonly Located<T>[] {
  if (list === undefined || list.items.length === 0) return none;
  return mapPresent(list.items, (item) => (item.broken ? undefined : located(item)));
}

const none: readonly never[] = [];
