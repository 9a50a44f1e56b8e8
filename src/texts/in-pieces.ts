/** Generates long JSON in pieces: what crosses from thread to thread exists several times over, and so only a piece at a time does. */
import type { Bundle, BundleChange } from "../../runtime/bundle.ts";

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

/**
 * Returns the JSON of a change, each shape and each unit of which has a line and is a piece: what is left of a change that
 * others have replaced since does not keep the rest of it.
 */
export const changeInPieces = ({ from, manifest, removed, shapes, units }: BundleChange): Iterable<string> => ({
  *[Symbol.iterator]() {
    yield `{"from":${JSON.stringify(from)},"manifest":${JSON.stringify(manifest)},"removed":${JSON.stringify(removed)},"shapes":{\n`;
    yield* asLines(Object.entries(shapes), ([digest, text]) => `${JSON.stringify(digest)}:${JSON.stringify(text)}`);
    yield `},"units":[\n`;
    yield* asLines(units, (unit) => JSON.stringify(unit));
    yield "]}";
  },
});

function* asLines<One>(all: readonly One[], textOf: (one: One) => string): Generator<string> {
  for (const [at, one] of all.entries()) yield `${textOf(one)}${at + 1 < all.length ? "," : ""}\n`;
}

const charactersOfPiece = 2 ** 18;

/** Returns a text that is there already. */
export const textInPieces = (text: string): Iterable<string> => ({
  *[Symbol.iterator]() {
    for (let at = 0; at < text.length; at += charactersOfPiece) yield text.slice(at, at + charactersOfPiece);
  },
});

/** Returns pieces together with others that are small: one message costs as much as some hundred kilobytes. */
export function* inParcels(pieces: Iterable<string>): Generator<readonly string[]> {
  let parcel: string[] = [];
  let characters = 0;
  for (const piece of pieces) {
    parcel.push(piece);
    characters += piece.length;
    if (characters < charactersOfPiece) continue;
    yield parcel;
    parcel = [];
    characters = 0;
  }
  if (parcel.length > 0) yield parcel;
}

/** Returns pieces to whoever reads them first, and lets go of them. */
export const handedOver = (pieces: string[]): Iterable<string> => ({
  *[Symbol.iterator]() {
    yield* pieces.splice(0);
  },
});

/** Puts a text together. */
export const wholeText = (pieces: Iterable<string>): string => [...pieces].join("");
