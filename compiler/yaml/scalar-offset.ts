/** Where a character of a scalar's text stands in the source, past quotes, escapes, indentation and folded lines. */
import type { ScalarNode } from "./node.ts";

// A memo, not a state: a long text may have a mistake in every word.
const known = new WeakMap<ScalarNode, readonly number[]>();

/** Returns a map from offsets of the scalar's text to offsets of its source; what it cannot place it puts at the scalar's start. */
export function scalarOffsets(scalar: ScalarNode): (offset: number) => number {
  const offsets = known.get(scalar) ?? align(scalar);
  known.set(scalar, offsets);
  return (offset) => offsets[Math.max(0, Math.min(offset, scalar.text.length))] ?? scalar.span.start;
}

/**
 * Walks text and source side by side. What is not white space stands in both in the same order; white space may be more or
 * less in the source (indentation, folding), so after each stretch of it the two meet again at the next other character.
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

/** A stretch of source: one character, or an escape that stands for one. */
interface Piece {
  readonly length: number;
  /** UTF-16 units of text that it stands for. */
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
  // `\n`, `\t`, `\r` and a backslash before a space are white space; so is one at a line's end, which joins it to the next.
  return { length: 2, units: 1, isSpace: /[ntr\s]/.test(source[at + 1] ?? ""), isLiteral: false };
}
