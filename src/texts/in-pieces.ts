/** Long texts piece by piece: what crosses from thread to thread is there several times, and in pieces only one of them is. */
import type { Bundle } from "../../runtime/bundle.ts";

/** Units of a piece: some hundred kilobytes. */
const unitsOfPiece = 128;

/**
 * Returns the JSON of a bundle, which is written while it is read. Each unit has a line, and each piece ends with one: the realm
 * need not parse what it is not asked for, nor put the pieces together.
 */
export const bundleInPieces = ({ manifest, shapes, units }: Bundle): Iterable<string> => ({
  *[Symbol.iterator]() {
    yield `{"manifest":${JSON.stringify(manifest)},"shapes":${JSON.stringify(shapes)},"units":[\n`;
    for (let at = 0; at < units.length; at += unitsOfPiece) {
      const lines = units.slice(at, at + unitsOfPiece).map((unit) => JSON.stringify(unit));
      yield `${lines.join(",\n")}${at + unitsOfPiece < units.length ? ",\n" : end}`;
    }
    if (units.length === 0) yield end;
  },
});

const end = "\n]}";

const charactersOfPiece = 2 ** 18;

/** Returns a text that is there already. */
export const textInPieces = (text: string): Iterable<string> => ({
  *[Symbol.iterator]() {
    for (let at = 0; at < text.length; at += charactersOfPiece) yield text.slice(at, at + charactersOfPiece);
  },
});

/** Returns pieces to whoever reads them first, and lets go of them. */
export const handedOver = (pieces: string[]): Iterable<string> => ({
  *[Symbol.iterator]() {
    yield* pieces.splice(0);
  },
});

/** Puts a text together. */
export const wholeText = (pieces: Iterable<string>): string => [...pieces].join("");
