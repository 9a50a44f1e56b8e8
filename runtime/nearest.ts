/** Finds the known name most similar to an unknown one, for "did you mean" hints. */

/** Returns the candidate with the smallest edit distance, or undefined if none is similar enough to be a typing error. */
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

/** Bounds: UTF-16 units compared of a name, and candidates examined. */
const longest = 64;
const most = 1000;

// Ignores case, dashes and underscores, in which typing errors are most likely to differ.
const fold = (name: string): string => name.slice(0, longest).toLowerCase().replaceAll("-", "").replaceAll("_", "");

/**
 * The edit distance with insertions, deletions, replacements and swaps of neighbours; any number not below `bound` if
 * it is not below.
 */
function distanceBelow(bound: number, left: string, right: string): number {
  let beforeLast: number[] = [];
  let last: number[] = [];
  for (let column = 0; column <= right.length; column++) last.push(column);
  let minOfLast = 0;
  for (let row = 1; row <= left.length; row++) {
    // Dynamic programming: each row is computed from the two before it.
    const current = [row];
    let minOfRow = row;
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let far = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) far = Math.min(far, (beforeLast[column - 2] ?? 0) + 1);
      if (far < minOfRow) minOfRow = far;
      current.push(far);
    }
    // Later rows cannot be smaller than the minimum of this row, or the previous row's minimum plus one.
    if (minOfRow >= bound && minOfLast + 1 >= bound) return bound;
    beforeLast = last;
    last = current;
    minOfLast = minOfRow;
  }
  return last[right.length] ?? 0;
}
