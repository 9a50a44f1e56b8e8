/** Text as one word of a command line that is shown to be pasted into a shell. */

/** Quotes a text where a shell would take it for more than a word. */
export function shellWord(text: string): string {
  return /^[\w./@+:,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
