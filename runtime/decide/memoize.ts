/** A bounded cache for results about names that requests choose, so that many different names cannot exhaust memory. */

/** UTF-16 units. Longer names are not cached: a few of them could take as much memory as all requests together. */
const longestKept = 64;

/** Returns `find` with a cache of up to `most` results. `find` must depend on the name alone. */
export function memoized<T>(most: number, find: (name: string) => T, longest = longestKept): (name: string) => T {
  const memory = new Map<string, T>();
  return (name) => {
    const known = memory.get(name);
    if (known !== undefined) return known;
    const found = find(name);
    if (name.length > longest) return found;
    // Emptied all at once: frequent names are soon back, and no bookkeeping is needed.
    if (memory.size >= most) memory.clear();
    memory.set(name, found);
    return found;
  };
}
