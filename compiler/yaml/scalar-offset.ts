/** Maps offsets in a scalar's value to offsets in the source, past quotes, escapes, indentation and folded lines. */
import type { ScalarNode } from "./node.ts";

// Only a cache: a long scalar may have a mistake in every word.
const known = new WeakMap<ScalarNode, readonly number[]>();

/**
 * Returns a function from offsets in the scalar's value to offsets in the source. An offset that cannot be mapped
 * gives the scalar's start.
 */
export function scalarOffsets(scalar: ScalarNode): (offset: number) => number {
  const offsets = known.get(scalar) ?? align(scalar);
  known.set(scalar, offsets);
  return (offset) => offsets[Math.max(0, Math.min(offset, scalar.text.length))] ?? scalar.span.start;
}

/**
 * Walks the value and the source side by side. Characters other than white space occur in both in the same order.
 * White space may differ in the source (indentation, folding), so after each run of it the two are realigned at the
 * next other character.
 */
function align({ text, style, span }: ScalarNode): readonly number[] {
  const source = span.source.text.slice(0, span.end);
  const offsets: number[] = [];
  let at = contentStart(source, style, span.start);
  while (offsets.length < text.length) {
    const piece = pieceAt(source, style, at);
    if (isSpace(text[offsets.length])) {
      offsets.push(at);
      if (piece.isSpace) at += piece.length;
    } else if (piece.isSpace) {
      at += piece.length;
    } else {
      if (piece.isLiteral && source[at] !== text[offsets.length]) return [];
      for (let unit = 0; unit < piece.units; unit++) offsets.push(at);
      at += piece.length;
    }
  }
  offsets.push(at);
  return offsets;
}

function contentStart(source: string, style: ScalarNode["style"], start: number): number {
  if (style === "single" || style === "double") return start + 1;
  if (style === "plain") return start;
  const lineEnd = source.indexOf("\n", start);
  return lineEnd === -1 ? source.length : lineEnd + 1;
}

const isSpace = (character: string | undefined): boolean =>
  character === " " || character === "\n" || character === "\t" || character === "\r";

/** A piece of source: one character, or an escape for one. */
interface Piece {
  readonly length: number;
  /** The number of UTF-16 code units of the value that it represents. */
  readonly units: number;
  readonly isSpace: boolean;
  readonly isLiteral: boolean;
}

function pieceAt(source: string, style: ScalarNode["style"], at: number): Piece {
  if (style === "single" && source.startsWith("''", at)) return { length: 2, units: 1, isSpace: false, isLiteral: false };
  if (style !== "double" || source[at] !== "\\") return { length: 1, units: 1, isSpace: isSpace(source[at]), isLiteral: true };
  const hexadecimal = /^\\(?:x(..)|u(.{4})|U(.{8}))/.exec(source.slice(at, at + 10));
  if (hexadecimal !== null) {
    const code = Number.parseInt(hexadecimal[1] ?? hexadecimal[2] ?? hexadecimal[3] ?? "", 16);
    return { length: hexadecimal[0].length, units: code > 0xffff ? 2 : 1, isSpace: isSpace(String.fromCharCode(code)), isLiteral: false };
  }
  // `\n`, `\t`, `\r` and a backslash before a space are white space; so is a backslash at the end of a line, which
  // joins the lines.
  return { length: 2, units: 1, isSpace: /[ntr\s]/.test(source[at + 1] ?? ""), isLiteral: false };
}
