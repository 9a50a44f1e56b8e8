/** Escapes policy authors' strings for TypeScript: none can end a string, a template or a comment. */

/** Characters that editors do not show, or that end a line. */
const invisibleCharacters =
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ud800-\udfff\ufeff\ufff0-\uffff]/g;

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Backslashes are escaped by number too: ts-morph's writer takes the second of two before a quote for the escape of the quote. */
const escapeInvisible = (text: string): string => text.replaceAll("\\", escapeUnit).replaceAll(invisibleCharacters, escapeUnit);

/** Prints a string literal. */
export const stringLiteral = (text: string): string => `"${escapeInvisible(text).replaceAll('"', String.raw`\"`)}"`;

/** Prints a template literal type: the given strings with `${string}` between them. */
export const templateLiteral = (texts: readonly string[]): string =>
  `\`${texts.map((text) => escapeInvisible(text).replaceAll(/[`$]/g, String.raw`\$&`)).join("${string}")}\``;

/** Prints a property name, quoted unless it is a plain identifier. */
export const propertyName = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) && !name.startsWith("__") ? name : stringLiteral(name);

const maxCommentLength = 300;

/** Returns an author's words as one line of a comment, with tags escaped. */
export function commentText(words: string): string {
  const line = words.replaceAll(invisibleCharacters, " ").replaceAll(/ {2,}/g, " ").trim();
  const short = line.length > maxCommentLength ? `${line.slice(0, maxCommentLength).trimEnd()} ...` : line;
  return short.replaceAll("*/", "* /").replaceAll("@", String.raw`\@`);
}

/** Returns a function that makes unique type names: a capital letter, then letters and digits. */
export function openTypeNames(): (hint: string) => string {
  const taken = new Set<string>();
  return (hint) => {
    const words = hint.split(/[^A-Za-z0-9]+/).filter((part) => part !== "");
    const joined = words.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join("");
    const stem = /^[A-Z]/.test(joined) ? joined : `Schema${joined}`;
    let name = stem;
    for (let number = 2; taken.has(name); number++) name = `${stem}_${number}`;
    taken.add(name);
    return name;
  };
}
