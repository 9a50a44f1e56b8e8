/** Changes of a text: what stands from one offset to another gives way to something else. */

/** One change. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns the text with changes made; they do not overlap. Everything else stays, character by character. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let [changed, at] = ["", 0];
  for (const edit of edits.toSorted((left, right) => left.start - right.start)) {
    changed += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return changed + text.slice(at);
}
