/** Finds the known name nearest to an unknown one, by edit distance. */

/** Returns the candidate that differs least from the name, or undefined when none is near enough to be a likely slip. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const folded = fold(name);
  let best: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  let left = most;
  for (const candidate of candidates) {
    if (left-- === 0) break;
    if (Math.abs(candidate.length - name.length) >= least || candidate === name) continue;
    const far = distanceBelow(least, folded, fold(candidate));
    if (far < least) [best, least] = [candidate, far];
  }
  return best;
}

/** Names longer than this are compared by their beginning, and of very many only the first are looked at. */
const longest = 64;
const most = 1000;

// Names that differ only in case, dashes or underscores are the likeliest slips.
const fold = (name: string): string => name.slice(0, longest).toLowerCase().replaceAll("-", "").replaceAll("_", "");

/** Counts insertions, deletions, replacements and swaps of neighbours between two words; where they are not fewer than the bound, anything else that is not. */
function distanceBelow(bound: number, left: string, right: string): number {
  let beforeLast: number[] = [];
  let last: number[] = [];
  for (let column = 0; column <= right.length; column++) last.push(column);
  let leastOfLast = 0;
  for (let row = 1; row <= left.length; row++) {
    // Each row is made of the two before it.
    const current = [row];
    let leastOfRow = row;
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let far = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) far = Math.min(far, (beforeLast[column - 2] ?? 0) + 1);
      if (far < leastOfRow) leastOfRow = far;
      current.push(far);
    }
    // What comes below is no less than the least of this row, or one more than the least of the row before.
    if (leastOfRow >= bound && leastOfLast + 1 >= bound) return bound;
    beforeLast = last;
    last = current;
    leastOfLast = leastOfRow;
  }
  return last[right.length] ?? 0;
}
