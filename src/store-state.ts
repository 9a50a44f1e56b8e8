/** What a store holds, as far as it has been read: kept up to date by its changes. */
import type { Source } from "../compiler/source.ts";
import type { Changes, Unreadable } from "./store/store.ts";

/** Policies by their paths, and schemas by theirs. */
export interface StoreState {
  readonly sources: ReadonlyMap<string, Source>;
  readonly schemas: ReadonlyMap<string, string>;
  readonly unreadable: readonly Unreadable[];
}

/** Nothing has been read. */
export const emptyState: StoreState = { sources: new Map(), schemas: new Map(), unreadable: [] };

/** Returns the state after some changes: the same object when they change nothing, such as those that we made ourselves. */
export function withChanges(state: StoreState, changes: Changes): StoreState {
  const gone = [...changes.removed, ...changes.unreadable.map(({ path }) => path)].filter((path) => state.sources.has(path));
  const changed = changes.changed.filter((source) => !isSame(state.sources.get(source.path), source));
  const goneSchemas = changes.removedSchemas.filter((path) => state.schemas.has(path));
  const changedSchemas = changes.changedSchemas.filter(({ path, text }) => state.schemas.get(path) !== text);
  const sameUnreadable = JSON.stringify(changes.unreadable) === JSON.stringify(state.unreadable);
  if (gone.length + changed.length + goneSchemas.length + changedSchemas.length === 0 && sameUnreadable) return state;
  return {
    sources: edited(
      state.sources,
      gone,
      changed.map((source) => [source.path, source] as const),
    ),
    schemas: edited(
      state.schemas,
      goneSchemas,
      changedSchemas.map(({ path, text }) => [path, text] as const),
    ),
    unreadable: sameUnreadable ? state.unreadable : changes.unreadable,
  };
}

/** Returns a map without some entries and with others; the same map when there is nothing to do. */
export function edited<V>(
  map: ReadonlyMap<string, V>,
  removed: readonly string[],
  put: readonly (readonly [string, V])[],
): ReadonlyMap<string, V> {
  if (removed.length + put.length === 0) return map;
  const next = new Map(map);
  for (const path of removed) next.delete(path);
  for (const [path, value] of put) next.set(path, value);
  return next;
}

function isSame(left: Source | undefined, right: Source): boolean {
  return left !== undefined && left.text === right.text && JSON.stringify(left.attributes) === JSON.stringify(right.attributes);
}

/** How the policies of one state differ from those of another. */
export interface Difference {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
}

/** Counts the policies that differ. */
export function differenceOf(before: ReadonlyMap<string, Source>, now: ReadonlyMap<string, Source>): Difference {
  let created = 0;
  let updated = 0;
  for (const [path, source] of now) {
    const earlier = before.get(path);
    if (earlier === undefined) created++;
    else if (earlier !== source) updated++;
  }
  return { created, updated, deleted: before.size - (now.size - created) };
}
