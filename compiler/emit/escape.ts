/** Prints data as JavaScript literals and comments that neither a person nor an engine can mistake for program. */
import { Uint, type Value } from "../../runtime/cel/value.ts";
import { invariant } from "../../runtime/cel/error.ts";

/** The values that a template substitution may contain. */
export type Constant = Value;

/** Prints a string literal: everything outside a small safe set becomes `\xNN` or `\uNNNN`. */
export function quote(text: string): string {
  let out = '"';
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (safe.test(character) && !startsComment(text, at)) out += character;
    else out += escaped(text.charCodeAt(at));
  }
  return `${out}"`;
}

// Parentheses, angle brackets, quotes and backslashes are excluded on purpose: without them neither a call of
// `import` or `eval` nor an HTML comment can be spelled (docs/sandbox.md).
const safe = /[A-Za-z0-9 _.,:;@#%&*+=?|~^$!'[\]{}/-]/;

// The compartment also refuses `import` before the beginning of a comment.
const startsComment = (text: string, at: number): boolean =>
  text.charAt(at) === "/" && (text.charAt(at + 1) === "/" || text.charAt(at + 1) === "*");

function escaped(unit: number): string {
  const hex = unit.toString(16);
  return unit < 0x100 ? `\\x${hex.padStart(2, "0")}` : `\\u${hex.padStart(4, "0")}`;
}

/**
 * Prints `.name`, or `["name"]` if the name is not an identifier or is a word that checks on the text refuse
 * (docs/sandbox.md).
 */
export const printMember = (name: string): string =>
  /^[A-Za-z][A-Za-z0-9_]*$/.test(name) && !ill.has(name) ? `.${name}` : `[${quote(name)}]`;

const ill: ReadonlySet<string> = new Set(["import", "eval", "async", "await"]);

/**
 * Prints one line of words as the inside of a `//` comment. Character sequences that an engine or the compartment
 * might misread are broken by a space.
 */
export function commentWords(words: string): string {
  return (
    words
      .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\uFEFF]+/gu, " ")
      .replace(/\*\//g, "* /")
      .replace(/<!--/g, "< !--")
      .replace(/-->/g, "-- >")
      // A space after the word would not help: the compartment's check skips white space, including line ends.
      .replace(/\bimport(?=\s*(?:[(/]|$))/g, "impor t")
      .replace(/\beval(?=\s*(?:[(/]|$))/g, "eva l")
      .trim()
  );
}

/** Prints a value as an expression for readers; the machine print refers to the value itself. */
export function printConstant(value: Constant): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return quote(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (value instanceof Uint) return `rt.uint(${value.value}n)`;
  if (value instanceof Uint8Array) return `rt.bytes([${[...value].join(", ")}])`;
  if (isList(value)) return `[${value.map(printConstant).join(", ")}]`;
  invariant(isPlain(value), "a constant is a scalar, bytes, or a list or object of constants");
  const entries = Object.entries(value);
  return entries.length === 0 ? "{}" : `{ ${entries.map(([key, of]) => `${printKey(key)}: ${printConstant(of)}`).join(", ")} }`;
}

// `"__proto__": x` in an object literal would set the prototype; a computed key defines an ordinary property.
const printKey = (key: string): string => (key === "__proto__" ? `[${quote(key)}]` : quote(key));

const isList = (value: Constant): value is readonly Value[] => Array.isArray(value);

function isPlain(value: object): value is { readonly [key: string]: Value } {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
