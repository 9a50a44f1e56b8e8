/** The known name that is nearest to an unknown one, by how many slips lie between them. */

/** Returns the candidate that differs least from the name, or undefined when none is near enough to be a likely slip. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  let left = most;
  for (const candidate of candidates) {
    if (left-- === 0) break;
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const far = distance(fold(name), fold(candidate));
    if (candidate !== name && far < least) [best, least] = [candidate, far];
  }
  return best;
}

/** Names longer than this are compared by their beginning, and of very many only the first are looked at. */
const longest = 64;
const most = 1000;

// Names that differ only in case, dashes or underscores are the likeliest slips.
const fold = (name: string): string => name.slice(0, longest).toLowerCase().replaceAll(/[-_]/g, "");

/** Counts insertions, deletions, replacements and swaps of neighbours between two words. */
function distance(left: string, right: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      const swapped = row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? 0;
}
