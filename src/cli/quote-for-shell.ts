/** Quotes strings for command lines that are shown to be pasted into a shell. */

/** Quotes a string unless a shell takes it as one plain word. */
export function quoteForShell(text: string): string {
  return /^[\w./@+:,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
