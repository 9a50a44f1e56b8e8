/** Shapes of lists, and of maps whose keys are chosen by the author. */
import { mapPresent } from "../map-present.ts";
import { fieldPath, itemPath } from "./path.ts";
import { wrongType, type Place, type Placed, type ShapeReport, type Shape } from "./shape.ts";

/** The value of a list. */
export interface ListValue<T> {
  readonly items: readonly T[];
  readonly place: Place;
}

/** A list whose items all have one shape. */
export function list<T>(item: Shape<T>): Shape<ListValue<T>> {
  return {
    isEmpty: (value) => value.items.length === 0,
    form: { kind: "list", item, unique: false },
    read: (place, report) => readList(item, place, report),
  };
}

/** A list of unique strings. A repeated string is reported and marked as broken. */
export function uniqueStrings(item: Shape<Placed<string>>): Shape<ListValue<Placed<string>>> {
  return {
    isEmpty: (value) => value.items.length === 0,
    form: { kind: "list", item, unique: true },
    read: (place, report) => {
      const value = readList(item, place, report);
      const again = value && findDuplicate(value.items);
      if (value === undefined || again === undefined) return value;
      report.violation({
        code: "duplicate-item",
        span: place.at,
        focus: again.place.node.span,
        path: place.path,
        message: `\`${again.value}\` is already in this list`,
        hint: "remove one of the two",
      });
      return { ...value, items: markDuplicates(value.items) };
    },
  };
}

const few = 8;

/** Returns the first string that is a repetition. */
function findDuplicate(items: readonly Placed<string>[]): Placed<string> | undefined {
  if (items.length <= few)
    return items.find(({ value }, at) => {
      for (let before = 0; before < at; before++) if (items[before]?.value === value) return true;
      return false;
    });
  const seen = new Set<string>();
  return items.find(({ value }) => seen.has(value) || !seen.add(value));
}

/**
 * Marks repeated strings as broken, so that consequences are not reported too: a set imported twice defines all its
 * names twice.
 */
function markDuplicates(items: readonly Placed<string>[]): readonly Placed<string>[] {
  const seen = new Set<string>();
  return items.map((item) => {
    if (seen.has(item.value)) return { ...item, broken: true };
    seen.add(item.value);
    return item;
  });
}

function readList<T>(item: Shape<T>, place: Place, report: ShapeReport): ListValue<T> | undefined {
  const { node } = place;
  if (node.kind !== "list") return wrongType("a list", place, report, "write each item on a line that starts with `- `");
  const items = mapPresent(node.items, (each, index) =>
    item.read({ node: each, path: itemPath(place.path, index), at: each.token }, report),
  );
  return { items, place };
}

/** The value of a map. */
export interface MapValue<T> {
  readonly entries: readonly { readonly key: Placed<string>; readonly value: T }[];
  /** The keys whose values cannot be read (reported). */
  readonly unread: readonly string[];
  readonly place: Place;
}

/** A map with author-chosen keys whose values all have one shape. */
export function mapOf<T>(shape: Shape<T>): Shape<MapValue<T>> {
  return {
    isEmpty: (value) => value.entries.length === 0,
    form: { kind: "map", value: shape },
    read: (place, report) => {
      const { node } = place;
      if (node.kind !== "map") return wrongType("a mapping", place, report, "write each entry as `name: value`");
      const unread: string[] = [];
      const entries = node.entries.flatMap(({ key, value }) => {
        const path = fieldPath(place.path, key.text);
        const keyPlace: Place = { node: key, path, at: key.span };
        if (key.type !== "string") return wrongType("a name", keyPlace, report, "put the name in quotes") ?? [];
        const read = shape.read({ node: value, path, at: value.token }, report);
        if (read !== undefined) return [{ key: { value: key.text, place: keyPlace }, value: read }];
        unread.push(key.text);
        return [];
      });
      return { entries, unread, place };
    },
  };
}
