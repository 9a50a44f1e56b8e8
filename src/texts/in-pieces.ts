/** Long texts piece by piece: what crosses from thread to thread is there several times, and in pieces only one of them is. */
import type { Bundle } from "../../runtime/bundle.ts";

/** Units of a piece: some hundred kilobytes. */
const unitsOfPiece = 128;

/** Returns the JSON of a bundle, which is written while it is read. Each unit has a line: the realm need not parse what it is not asked for. */
export const bundleInPieces = ({ manifest, shapes, units }: Bundle): Iterable<string> => ({
  *[Symbol.iterator]() {
    yield `{"manifest":${JSON.stringify(manifest)},"shapes":${JSON.stringify(shapes)},"units":[\n`;
    for (let at = 0; at < units.length; at += unitsOfPiece) {
      const lines = units.slice(at, at + unitsOfPiece).map((unit) => JSON.stringify(unit));
      yield `${at === 0 ? "" : ",\n"}${lines.join(",\n")}`;
    }
    yield "\n]}";
  },
});

const charactersOfPiece = 2 ** 18;

/** Returns a text that is there already. */
export const textInPieces = (text: string): Iterable<string> => ({
  *[Symbol.iterator]() {
    for (let at = 0; at < text.length; at += charactersOfPiece) yield text.slice(at, at + charactersOfPiece);
  },
});

/** Puts a text together. */
export const wholeText = (pieces: Iterable<string>): string => [...pieces].join("");
