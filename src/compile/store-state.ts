/** The contents of a store as read so far, updated by changes. */
import type { Source } from "../../compiler/source.ts";
import type { Changes, Unreadable } from "../store/store.ts";
import { VersionedMap } from "../../runtime/versioned-map.ts";

/** Policies and schemas by path. */
export interface StoreState {
  readonly sources: VersionedMap<Source>;
  readonly schemas: VersionedMap<string>;
  readonly unreadable: readonly Unreadable[];
}

/** The state before the first reading. */
export const emptyState: StoreState = { sources: VersionedMap.of(), schemas: VersionedMap.of(), unreadable: [] };

/** Applies changes; returns the same object if they change nothing, such as changes of our own. */
export function withChanges(state: StoreState, changes: Changes): StoreState {
  const gone = [...changes.removed, ...changes.unreadable.map(({ path }) => path)].filter((path) => state.sources.has(path));
  const changed = changes.changed.filter((source) => !isSame(state.sources.get(source.path), source));
  const goneSchemas = changes.removedSchemas.filter((path) => state.schemas.has(path));
  const changedSchemas = changes.changedSchemas.filter(({ path, text }) => state.schemas.get(path) !== text);
  const sameUnreadable = JSON.stringify(changes.unreadable) === JSON.stringify(state.unreadable);
  if (gone.length + changed.length + goneSchemas.length + changedSchemas.length === 0 && sameUnreadable) return state;
  return {
    sources: withEdits(
      state.sources,
      gone,
      changed.map((source) => [source.path, source] as const),
    ),
    schemas: withEdits(
      state.schemas,
      goneSchemas,
      changedSchemas.map(({ path, text }) => [path, text] as const),
    ),
    unreadable: sameUnreadable ? state.unreadable : changes.unreadable,
  };
}

/** Applies edits to a map; returns the same map if there are none. */
export function withEdits<V>(map: VersionedMap<V>, removed: readonly string[], put: readonly (readonly [string, V])[]): VersionedMap<V> {
  if (removed.length + put.length === 0) return map;
  const next = map.edit();
  for (const path of removed) next.delete(path);
  for (const [path, value] of put) next.set(path, value);
  return next.finish();
}

function isSame(left: Source | undefined, right: Source): boolean {
  return left !== undefined && left.text === right.text && JSON.stringify(left.attributes) === JSON.stringify(right.attributes);
}

/**
 * Returns a function that lists the values of successive versions of a map. It looks only at differing entries. A value
 * keeps its index from version to version; when an entry is removed, the last one takes its index.
 */
export function incrementalList<V extends object | number>(): (map: VersionedMap<V>) => readonly V[] {
  const places = new Map<string, number>();
  const keys: string[] = [];
  let list: V[] = [];
  let last = VersionedMap.of<V>();
  const put = (key: string, value: V, place: number): void => {
    places.set(key, place);
    keys[place] = key;
    list[place] = value;
  };
  const take = (key: string): void => {
    const place = places.get(key);
    places.delete(key);
    const [lastKey, lastValue] = [keys.pop(), list.pop()];
    if (place !== undefined && lastKey !== undefined && lastValue !== undefined && lastKey !== key) put(lastKey, lastValue, place);
  };
  return (map) => {
    if (last === map) return list;
    list = [...list]; // Lists that were returned before must not change.
    map.forEachDifference(last, (key, _, value) => {
      if (value === undefined) take(key);
      else put(key, value, places.get(key) ?? list.length);
    });
    last = map;
    return list;
  };
}

/** The difference between the policies of two states. */
export interface ChangeCounts {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
}

/** Counts the policies that differ. */
export function countChanges(before: StoreState["sources"], now: StoreState["sources"]): ChangeCounts {
  const counts = { created: 0, updated: 0, deleted: 0 };
  now.forEachDifference(before, (_, was, is) => {
    counts[was === undefined ? "created" : is === undefined ? "deleted" : "updated"]++;
  });
  return counts;
}
