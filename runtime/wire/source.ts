/** Where the parts of a request stand in its text: of one that is written without spaces between its values, so that they can be copied from it. */

/** The text of a request and the lengths of its parts, none of which is in doubt. */
export interface Source {
  readonly text: string;
  /** Where the first entry of `resources` begins, and how long each of them is; a comma stands between two. */
  readonly firstEntry: number;
  readonly entryLengths: readonly number[];
  /** Where the principal begins and ends; both 0 when it does not stand right before the resources. */
  readonly principalStart: number;
  readonly principalEnd: number;
}

/**
 * Finds the parts in the text of a request without escapes whose last field is `resources`, by the length of each entry and of
 * the principal (0 when it does not stand right before them). Sums say where they stand as long as the whole text is as long as
 * its values take at least: then there is no space between them, and none is spelled in another way than was counted.
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
 * Says how many characters a number takes at least in JSON: none that is passed over here has a shorter spelling than its
 * usual one (1000 has 1e3, 0.001 has 1e-3).
 */
export function leastSpelling(value: number): number {
  if (Number.isSafeInteger(value)) return value % 1000 !== 0 || value === 0 ? String(value).length : 1;
  return Math.abs(value) >= 0.01 && Math.abs(value) < Number.MAX_SAFE_INTEGER ? String(value).length : 1;
}

/** Copies the text between the braces of each entry, with what is to stand around and between them. */
export function copyEntries(
  { text, firstEntry, entryLengths }: Source,
  before: string,
  between: string,
  after: string,
  mostBytes: number,
): string | undefined {
  let all = before;
  let start = firstEntry;
  for (let at = 0; at < entryLengths.length; at++) {
    const end = start + (entryLengths[at] ?? 0);
    if (at > 0) all += between;
    all += text.slice(start + 1, end - 1);
    start = end + 1;
    if (all.length > mostBytes) return undefined;
  }
  return all + after;
}

/** The text of the principal; undefined when it does not stand where it can be copied. */
export const principalText = ({ text, principalStart, principalEnd }: Source): string | undefined =>
  principalEnd === 0 ? undefined : text.slice(principalStart, principalEnd);
