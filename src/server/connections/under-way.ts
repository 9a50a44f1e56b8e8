/**
 * A list of what is under way: added to and removed from with every request, iterated over now and then.
 *
 * Not a `Map` or a `Set`: theirs is a new table each time the old one is full of what was deleted, and V8's old table points
 * to the new one. Once one of them is old, every later one with what stands in it outlives its time, until all memory is
 * marked: each request took 3 KB of old memory, and collecting the young took twice as long.
 */

/** Whatever can be under way; `place` belongs to the list that it stands in. */
export interface Placed {
  place: number;
}

/** The place of what is in no list. */
export const nowhere = -1;

/** An unordered list from which items are removed in constant time. */
export class UnderWay<Item extends Placed> {
  readonly #items: Item[] = [];

  /** How many there are. */
  get size(): number {
    return this.#items.length;
  }

  /** Takes in what is in no list. */
  add(item: Item): void {
    item.place = this.#items.push(item) - 1;
  }

  /** Lets it go; false if it has left already. */
  remove(item: Item): boolean {
    if (item.place === nowhere) return false;
    const last = this.#items.pop();
    if (last !== undefined && last !== item) {
      this.#items[item.place] = last;
      last.place = item.place;
    }
    item.place = nowhere;
    return true;
  }

  /** All there are now; those that are let go meanwhile too. */
  all(): readonly Item[] {
    return [...this.#items];
  }
}
