/** Applies edits to a text: ranges that are replaced. */

/** One edit. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns the text with edits applied, which must not overlap. Everything else stays unchanged. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let [changed, at] = ["", 0];
  for (const edit of edits.toSorted((left, right) => left.start - right.start)) {
    changed += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return changed + text.slice(at);
}
