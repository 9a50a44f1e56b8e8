/**
 * A list of items in progress: items are added and removed with every request, and iterated over now and then.
 * Not a `Map` or a `Set`: they allocate a new table whenever the old one is full of deleted entries, and V8's old table points to the
 * new one. Once such a table is in the old generation, all later ones and their contents are kept alive until a full garbage
 * collection: each request then cost 3 KB of old generation, and young collections took twice as long.
 */

/** An item of such a list; `place` is its index, and belongs to the list. */
export interface ListItem {
  index: number;
}

/** The `place` of an item that is in no list. */
export const notListed = -1;

/** An unordered list from which items are removed in constant time. */
export class InProgressList<Item extends ListItem> {
  readonly #items: Item[] = [];

  /** The number of items. */
  get size(): number {
    return this.#items.length;
  }

  /** Adds an item that is in no list. */
  add(item: Item): void {
    item.index = this.#items.push(item) - 1;
  }

  /** Removes an item; returns false if it was not in the list. */
  remove(item: Item): boolean {
    if (item.index === notListed) return false;
    const last = this.#items.pop();
    if (last !== undefined && last !== item) {
      this.#items[item.index] = last;
      last.index = item.index;
    }
    item.index = notListed;
    return true;
  }

  /** Returns a copy of the list; it still has the items that are removed during an iteration. */
  all(): readonly Item[] {
    return [...this.#items];
  }
}
