/**
 * Finds the parts of a request in its text by adding up lengths, so that the record of the decision can copy them.
 * Works only for text without white space between values.
 */

/** The text of a request and the offsets of its parts. */
export interface Source {
  readonly text: string;
  /** Offset of the first entry of `resources`, and the length of each entry; one comma separates two. */
  readonly firstEntry: number;
  readonly entryLengths: readonly number[];
  /** Start and end offset of the principal; both 0 if it does not directly precede `resources`. */
  readonly principalStart: number;
  readonly principalEnd: number;
}

/**
 * Computes the offsets from the lengths of the entries and of the principal (0 if it does not directly precede
 * `resources`). Requires: the request has no escapes, its last field is `resources`, and the text is exactly as long
 * as the sum of its values' minimal spellings. Then it has no white space between values and no unusual spelling, so
 * the sums are exact.
 */
export function sourceOf(text: string, principal: number, entries: readonly number[]): Source {
  let firstEntry = text.length - closing - (entries.length - 1);
  for (let at = 0; at < entries.length; at++) firstEntry -= entries[at] ?? 0;
  const principalEnd = principal === 0 ? 0 : firstEntry - opening;
  return { text, firstEntry, entryLengths: entries, principalStart: principalEnd - principal, principalEnd };
}

const opening = ',"resources":['.length;
const closing = "]}".length;

/**
 * A lower bound of the characters a number takes in JSON text. Where an exponent might be shorter (1000 as 1e3, 0.001
 * as 1e-3), it returns 1, so that the sum does not match and nothing is copied.
 */
export function minSpelling(value: number): number {
  if (Number.isSafeInteger(value)) return value % 1000 !== 0 || value === 0 ? String(value).length : 1;
  return Math.abs(value) >= 0.01 && Math.abs(value) < Number.MAX_SAFE_INTEGER ? String(value).length : 1;
}

/**
 * Joins the contents of the entries (without their braces): `before`, the entries with `between` between them,
 * `after`. Undefined if that exceeds `maxBytes`.
 */
export function copyEntries(
  { text, firstEntry, entryLengths }: Source,
  before: string,
  between: string,
  after: string,
  maxBytes: number,
): string | undefined {
  let all = before;
  let start = firstEntry;
  for (let at = 0; at < entryLengths.length; at++) {
    const end = start + (entryLengths[at] ?? 0);
    if (at > 0) all += between;
    all += text.slice(start + 1, end - 1);
    start = end + 1;
    if (all.length > maxBytes) return undefined;
  }
  return all + after;
}

/** The text of the principal; undefined if it cannot be copied. */
export const principalText = ({ text, principalStart, principalEnd }: Source): string | undefined =>
  principalEnd === 0 ? undefined : text.slice(principalStart, principalEnd);
