/** Generates long JSON in pieces: a message between threads exists several times in memory, so each message contains only a piece. */
import type { Bundle, BundleChange } from "../../runtime/bundle.ts";

/** The units in a piece: some hundred kilobytes. */
const unitsOfPiece = 128;

/**
 * Returns the JSON of a bundle, generated while it is read. Each unit is a line, and each piece ends with a line feed, so that the
 * sandbox can defer parsing units, and need not join the pieces.
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
 * Returns the JSON of a change, with a line and a piece for each shape and unit, so that a unit which stays in use does not keep the
 * rest of the change in memory.
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

/** Splits an existing string into pieces. */
export const textInPieces = (text: string): Iterable<string> => ({
  *[Symbol.iterator]() {
    for (let at = 0; at < text.length; at += charactersOfPiece) yield text.slice(at, at + charactersOfPiece);
  },
});

/** Groups small pieces, because a message costs as much as some hundred kilobytes. */
export function* groupPieces(pieces: Iterable<string>): Generator<readonly string[]> {
  let group: string[] = [];
  let characters = 0;
  for (const piece of pieces) {
    group.push(piece);
    characters += piece.length;
    if (characters < charactersOfPiece) continue;
    yield group;
    group = [];
    characters = 0;
  }
  if (group.length > 0) yield group;
}

/** Returns the pieces to the first reader, and drops the references to them. */
export const readOnce = (pieces: string[]): Iterable<string> => ({
  *[Symbol.iterator]() {
    yield* pieces.splice(0);
  },
});

/** Joins pieces. */
export const wholeText = (pieces: Iterable<string>): string => [...pieces].join("");
