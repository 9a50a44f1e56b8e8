/** A bounded cache for answers about names that requests choose: a flood of names cannot make it grow. */

/** Longer names are not kept: a memory of few of them could be as large as all requests together. */
const longestKept = 64;

/** Returns `find`, remembering so many of its last answers; what it answers must depend on the name alone. */
export function remembering<T>(most: number, find: (name: string) => T, longest = longestKept): (name: string) => T {
  const memory = new Map<string, T>();
  return (name) => {
    const known = memory.get(name);
    if (known !== undefined) return known;
    const found = find(name);
    if (name.length > longest) return found;
    // Emptied all at once: what is asked often is soon back, and nothing has to be counted.
    if (memory.size >= most) memory.clear();
    memory.set(name, found);
    return found;
  };
}
