/** Splits CEL text into tokens. Invalid text is reported and replaced by what was probably meant. */
import type { Issue, ReportIssue } from "./issue.ts";
import { loneSurrogateIssue, readStringLiteral } from "./string-literal.ts";
import type { Token } from "./token.ts";

/** Returns the tokens of a text; the last is an `end` token. */
export function lex(text: string, report: ReportIssue): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at = skipBlank(text, at);
    if (at >= text.length) break;
    const token =
      (textStarts.has(text.charAt(at)) ? readStringLiteral(text, at, report) : undefined) ??
      readNumber(text, at, report) ??
      readName(text, at) ??
      readSymbol(text, at, report) ??
      readUnknown(text, at, report);
    tokens.push(token);
    at = token.end;
  }
  tokens.push({ kind: "end", text: "", start: text.length, end: text.length });
  return tokens;
}

/** First characters of strings and bytes; a quick test that avoids most other work. */
const textStarts: ReadonlySet<string> = new Set(["'", '"', "b", "B", "r", "R"]);

const blank = /(?:[\t\n\f\r ]+|\/\/[^\n]*)+/y;
const hexadecimal = /(0x[0-9a-fA-F]+)([uU]?)/y;
const floating = /(?:[0-9]+\.[0-9]+|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+/y;
const decimal = /([0-9]+)([uU]?)/y;
const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const slash = 47;
const backquote = 96;
const quotedName = /`([A-Za-z0-9_.\-/ ]+)`/y;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function skipBlank(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code > 32 && code !== slash) return at;
  return at + (matchAt(blank, text, at)?.[0].length ?? 0);
}

function readNumber(text: string, at: number, report: ReportIssue): Token | undefined {
  if (!isDigit(text, at) && !(text[at] === "." && isDigit(text, at + 1))) return undefined;
  const double = matchAt(floating, text, at);
  const whole = matchAt(hexadecimal, text, at) ?? matchAt(decimal, text, at);
  const found = double ?? whole;
  if (found === null) return undefined;
  const end = at + found[0].length;
  const trailing = matchAt(name, text, end)?.[0];
  // ANTLR starts a new token here, so `1in [1]` means `1 in [1]`. No other word can follow a number directly.
  if (trailing !== undefined && trailing !== "in") {
    report({
      start: at,
      end: end + trailing.length,
      message: `\`${found[0]}${trailing}\` is not a number`,
      hint: numberHint(found[0], trailing),
    });
    return { kind: "int", text: "0", start: at, end: end + trailing.length };
  }
  if (double !== null) return { kind: "double", text: double[0], start: at, end };
  return { kind: found[2] === "" ? "int" : "uint", text: found[1] ?? "", start: at, end };
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/** The units of durations, and the day, which is none. */
const durationUnits: ReadonlySet<string> = new Set(["h", "m", "s", "ms", "us", "ns", "d"]);

const numberHint = (digits: string, trailing: string): string =>
  digits === "0" && /^[xXbBoO]/.test(trailing)
    ? "a hexadecimal number is written `0x1F`; there are no octal or binary numbers"
    : durationUnits.has(trailing)
      ? `a duration is written \`duration("${trailing === "d" ? `${Number(digits) * 24}h` : `${digits}${trailing}`}")\`${trailing === "d" ? "; there is no unit for days" : ""}`
      : trailing.startsWith("_")
        ? "digits are written without separators"
        : "an unsigned integer ends in `u`, a double has a `.` or an exponent";

function readName(text: string, at: number): Token | undefined {
  const code = text.charCodeAt(at) | 32;
  // `code` has bit 32 set: letters become lower case, `_` becomes 127, the backquote stays.
  if ((code < 97 || code > 122) && code !== 127 && code !== backquote) return undefined;
  const plain = matchAt(name, text, at);
  if (plain !== null) return { kind: "identifier", text: plain[0], start: at, end: at + plain[0].length };
  const quoted = matchAt(quotedName, text, at);
  return quoted === null ? undefined : { kind: "quoted", text: quoted[1] ?? "", start: at, end: at + quoted[0].length };
}

const symbols: ReadonlySet<string> = new Set("&& || == != <= >= ( ) [ ] { } . , : ? + - * / % ! < >".split(" "));

/** Operators of other languages, and their CEL equivalents; single `=`, `&` and `|` are half an operator. */
const foreignSymbols: ReadonlyMap<string, string> = new Map([
  ["===", "=="],
  ["!==", "!="],
  ["<>", "!="],
  ["=>", ">="],
  ["=<", "<="],
  ["=~", "=="],
  ["=", "=="],
  ["&", "&&"],
  ["|", "||"],
]);

/** Hints for those that mean more than their equivalent. */
const foreignHints: ReadonlyMap<string, string> = new Map([
  ["=~", "a pattern is tested with `text.matches(pattern)`"],
  ["=>", "write `>=`; what looks at each element is written `list.exists(item, condition)`"],
]);

/** The second characters of all two-character symbols. */
const symbolParts: ReadonlySet<string> = new Set(["=", "&", "|", "<", ">", "~"]);

/** Reads a symbol, the longest that matches. */
function readSymbol(text: string, at: number, report: ReportIssue): Token | undefined {
  for (let length = symbolParts.has(text.charAt(at + 1)) ? 3 : 1; length > 0; length--) {
    const written = text.slice(at, at + length);
    if (symbols.has(written)) return { kind: "symbol", text: written, start: at, end: at + written.length };
    const meant = foreignSymbols.get(written);
    if (meant !== undefined) return replaced(at, written, meant, report);
  }
  return undefined;
}

function replaced(at: number, written: string, meant: string, report: ReportIssue): Token {
  const end = at + written.length;
  const hint = foreignHints.get(written) ?? `write \`${meant}\``;
  report({ start: at, end, message: `\`${written}\` is not an operator`, hint });
  return { kind: "symbol", text: meant, start: at, end };
}

const letters = /[\p{L}\p{M}]+/uy;

/** Reports a run of one unknown character once, and a word once. */
function readUnknown(text: string, at: number, report: ReportIssue): Token {
  const point = text.codePointAt(at) ?? 0;
  const character = matchAt(letters, text, at)?.[0] ?? String.fromCodePoint(point);
  let end = at + character.length;
  while (text.startsWith(character, end)) end += character.length;
  report(unknownCharacter(at, end, character, point));
  return { kind: "unknown", text: text.slice(at, end), start: at, end };
}

const characterHints: Readonly<Record<string, string>> = {
  "#": "a comment starts with `//`",
  ";": "a condition is one expression; join two with `&&`",
  $: "names start with a letter or `_`",
  "@": "names start with a letter or `_`",
  "^": "there is no power operator",
  "~": "there is no bitwise operator; see `math.bitNot`",
  "\\": "a backslash only stands inside a string",
  "\u2013": "write a plain `-`",
  "\u2014": "write a plain `-`",
  "\u2212": "write a plain `-`",
  "\u2264": "write `<=`",
  "\u2265": "write `>=`",
  "\u2260": "write `!=`",
};

function unknownCharacter(start: number, end: number, character: string, point: number): Issue {
  const code = `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
  if (/[\u2018\u2019\u201C\u201D]/.test(character)) {
    return { start, end, message: `\`${character}\` is not a quotation mark of CEL`, hint: "write a plain `\"` or `'`" };
  }
  if (/\p{Surrogate}/u.test(character)) return { ...loneSurrogateIssue(start), end };
  if (/\s/.test(character) || !/[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(character)) {
    return { start, end, message: `the invisible character ${code} is not allowed here`, hint: "write a plain space" };
  }
  if (character === "`") {
    const hint = "a backquoted name is closed by another backquote and holds letters, digits, `_`, `.`, `-`, `/` and spaces only";
    return { start, end, message: "a backquote has no meaning here", hint };
  }
  const hint = Object.hasOwn(characterHints, character) ? characterHints[character] : undefined;
  if (hint !== undefined) return { start, end, message: `\`${character}\` has no meaning here`, hint };
  return /\p{L}/u.test(character)
    ? {
        start,
        end,
        message: `\`${character}\` cannot be part of a name`,
        hint: 'names use the letters a to z, digits and `_`; other keys are written `map["key"]`',
      }
    : { start, end, message: `\`${character}\` has no meaning here` };
}
