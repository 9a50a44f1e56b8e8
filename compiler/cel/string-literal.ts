/** Reads the string and bytes literals of CEL: raw and cooked, triple-quoted, with escapes. */
import { invariant } from "../../runtime/cel/error.ts";
import { encodeUtf8 } from "../../runtime/cel/utf8.ts";
import type { Issue, ReportIssue } from "./issue.ts";
import type { Token } from "./token.ts";

const opening = /([bB]?)([rR]?)("""|'''|"|')/y;

/**
 * Returns the literal that starts at an offset, or undefined if there is none. An invalid literal is reported and
 * still returned.
 */
export function readStringLiteral(text: string, at: number, report: ReportIssue): Token | undefined {
  opening.lastIndex = at;
  const open = opening.exec(text);
  if (open === null) return undefined;
  const [prefix, , rawMark, quote] = open;
  invariant(quote !== undefined, "the pattern has three groups");
  const raw = rawMark !== "";
  const bytes = open[1] !== "";
  const from = at + prefix.length;
  const close = findClose(text, from, quote, raw);
  const end = close.found ? close.at + quote.length : close.at;
  const literal = { kind: bytes ? "bytes" : "string", text: text.slice(at, end), start: at, end } as const;
  if (!close.found) {
    report({ start: at, end, message: `the ${bytes ? "bytes" : "string"} is not closed`, hint: unclosedHint(text, close.at, quote) });
    return { ...literal, value: bytes ? new Uint8Array() : "" };
  }
  const inner = { text, from, to: close.at, raw, report };
  return { ...literal, value: bytes ? readBytes(inner) : readString(inner) };
}

const unclosedHint = (text: string, at: number, quote: string): string =>
  at < text.length ? `a string that spans lines is written between \`${quote.repeat(3)}\`` : `close it with \`${quote}\``;

/**
 * Finds the closing quotes. A single-quoted or double-quoted string must end on its line. If it is not closed, `at`
 * is the offset where the scan stopped.
 */
function findClose(text: string, from: number, quote: string, raw: boolean): { readonly found: boolean; readonly at: number } {
  for (let at = from; at < text.length; at++) {
    if (text.startsWith(quote, at)) return { found: true, at };
    const character = text[at];
    if (quote.length === 1 && (character === "\n" || character === "\r")) return { found: false, at };
    // In a string that is not raw, the character after a backslash never closes it.
    if (!raw && character === "\\") at++;
  }
  return { found: false, at: text.length };
}

interface Inner {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly raw: boolean;
  readonly report: ReportIssue;
}

function readString(inner: Inner): string {
  const pieces: string[] = [];
  decode(
    inner,
    false,
    (piece) => pieces.push(piece),
    (point) => pieces.push(String.fromCodePoint(point)),
  );
  return pieces.join("");
}

function readBytes(inner: Inner): Uint8Array {
  const octets: number[] = [];
  decode(
    inner,
    true,
    (piece) => {
      for (const octet of encodeUtf8(piece)) octets.push(octet);
    },
    (octet) => octets.push(octet),
  );
  return Uint8Array.from(octets);
}

const loneSurrogate = /\p{Surrogate}/u;
const loneSurrogates = new RegExp(loneSurrogate, "gu");

/** Returns the issue for a lone surrogate (half of a UTF-16 pair). */
export const loneSurrogateIssue = (at: number): Issue => ({
  start: at,
  end: at + 1,
  message: "half of a surrogate pair is not a character",
  hint: "remove it, or write the whole character",
});

/**
 * Calls `plain` for each run of ordinary characters (line ends become `\n`, as in cel-go) and `escaped` with the
 * value of each escape.
 */
function decode(inner: Inner, bytes: boolean, plain: (piece: string) => void, escaped: (value: number) => void): void {
  const { text, to, raw, report } = inner;
  const pass = (from: number, end: number): void => {
    const piece = text.slice(from, end);
    if (loneSurrogate.test(piece)) for (const { index } of piece.matchAll(loneSurrogates)) report(loneSurrogateIssue(from + index));
    if (end > from) plain(piece.replace(/\r\n?/g, "\n"));
  };
  let from = inner.from;
  while (from < to) {
    const slash = raw ? -1 : text.indexOf("\\", from);
    if (slash === -1 || slash >= to) break;
    pass(from, slash);
    const escape = readEscape(text, slash, bytes, report);
    if (escape.value !== undefined) escaped(escape.value);
    from = escape.end;
  }
  pass(from, to);
}

const simpleEscapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '"': 34,
  "'": 39,
  "\\": 92,
  "?": 63,
  "`": 96,
};
const numericEscape = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/y;

function readEscape(text: string, at: number, bytes: boolean, report: ReportIssue): { readonly value?: number; readonly end: number } {
  const letter = text[at + 1] ?? "";
  const simple = Object.hasOwn(simpleEscapes, letter) ? simpleEscapes[letter] : undefined;
  if (simple !== undefined) return { value: simple, end: at + 2 };
  numericEscape.lastIndex = at;
  const numeric = numericEscape.exec(text);
  if (numeric === null) {
    report({ start: at, end: at + 2, message: `\`\\${letter}\` is not an escape sequence`, hint: escapeHint(letter) });
    return { end: at + 2 };
  }
  const end = at + numeric[0].length;
  const [, octet, short, long, octal] = numeric;
  const value = octal === undefined ? Number.parseInt(octet ?? short ?? long ?? "", 16) : Number.parseInt(octal, 8);
  if (bytes && (short ?? long) !== undefined) {
    report({ start: at, end, message: `\`${numeric[0]}\` is a character, not an octet`, hint: "bytes take `\\x00` to `\\xff`" });
    return { end };
  }
  if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) {
    const hint =
      value > 0x10ffff ? "the last character is `\\U0010ffff`" : "a character beyond `\\uffff` is written with eight digits: `\\U0001f600`";
    report({ start: at, end, message: `\`${numeric[0]}\` is not a character`, hint });
    return { end };
  }
  return { value, end };
}

const escapeHint = (letter: string): string =>
  letter === "x" || letter === "X"
    ? "two hexadecimal digits follow `\\x`"
    : letter === "u"
      ? "four hexadecimal digits follow `\\u`"
      : letter === "U"
        ? "eight hexadecimal digits follow `\\U`"
        : /[0-9]/.test(letter)
          ? "an octal escape has three digits, `\\000` to `\\377`"
          : "write the backslash twice, or put `r` before the quotes";
