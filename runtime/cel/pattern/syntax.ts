/** Parses the common part of RE2's syntax: literals, classes, groups, alternation, repetition, `^` and `$`. */
import { classOf, type Ranges, single } from "./ranges.ts";

/** A parsed pattern. */
export type Pattern =
  | { readonly kind: "one"; readonly ranges: Ranges }
  | { readonly kind: "start" | "end" }
  | { readonly kind: "sequence" | "choice"; readonly of: readonly Pattern[] }
  | { readonly kind: "repeat"; readonly what: Pattern; readonly least: number; readonly most: number };

/** Parses a pattern that is known to be valid. Undefined if it uses other syntax: flags, named classes, `\b`, ... */
export function readPattern(text: string): Pattern | undefined {
  const reader: Reader = { characters: Array.from(text), at: 0, depth: 0 };
  const read = readChoice(reader);
  return reader.at === reader.characters.length ? read : undefined;
}

interface Reader {
  readonly characters: readonly string[];
  /** The next character. */
  at: number;
  /** How many groups are open. */
  depth: number;
}

/** Deeper patterns could exhaust the stack. */
const deepest = 50;

/** Consumes a character if it is the next one. */
function takes(reader: Reader, character: string): boolean {
  const isNext = reader.characters[reader.at] === character;
  if (isNext) reader.at++;
  return isNext;
}

function readChoice(reader: Reader): Pattern | undefined {
  const of: Pattern[] = [];
  do {
    const branch = readSequence(reader);
    if (branch === undefined) return undefined;
    of.push(branch);
  } while (takes(reader, "|"));
  return { kind: "choice", of };
}

function readSequence(reader: Reader): Pattern | undefined {
  const of: Pattern[] = [];
  for (let next = reader.characters[reader.at]; next !== undefined && next !== "|" && next !== ")"; next = reader.characters[reader.at]) {
    const part = readRepeated(reader);
    if (part === undefined) return undefined;
    of.push(part);
  }
  return { kind: "sequence", of };
}

const bounds: Readonly<Record<string, readonly [least: number, most: number]>> = { "*": [0, Infinity], "+": [1, Infinity], "?": [0, 1] };

function readRepeated(reader: Reader): Pattern | undefined {
  const what = readAtom(reader);
  if (what === undefined) return undefined;
  const sign = reader.characters[reader.at] ?? "";
  const repeated = sign === "{" ? readCount(reader) : Object.hasOwn(bounds, sign) ? bounds[sign] : noRepetition;
  if (repeated === undefined || repeated === noRepetition) return repeated && what;
  if (sign !== "{") reader.at++;
  // Whether a repetition prefers few or many changes what is found, not whether something is.
  takes(reader, "?");
  const [least, most] = repeated;
  return { kind: "repeat", what, least, most };
}

const noRepetition: readonly [number, number] = [1, 1];

/** Reads `{2}`, `{2,}` or `{2,5}`. */
function readCount(reader: Reader): readonly [least: number, most: number] | undefined {
  const close = reader.characters.indexOf("}", reader.at);
  const [, least, comma, most] =
    /^\{([0-9]{1,4})(?:(,)([0-9]{0,4}))?\}$/.exec(reader.characters.slice(reader.at, close + 1).join("")) ?? [];
  if (least === undefined) return undefined;
  reader.at = close + 1;
  return [Number(least), comma === undefined ? Number(least) : most === "" ? Infinity : Number(most)];
}

function readAtom(reader: Reader): Pattern | undefined {
  const character = reader.characters[reader.at++] ?? "";
  switch (character) {
    case "^":
      return { kind: "start" };
    case "$":
      return { kind: "end" };
    case ".":
      return one(classOf([single("\n")], true));
    case "[":
      return readClass(reader);
    case "(":
      return readGroup(reader);
    case "\\":
      return one(readEscape(reader));
    case "*":
    case "+":
    case "?":
    case "{":
    case "}":
    case "]":
      return undefined;
    default:
      return one(literal(character));
  }
}

const one = (ranges: Ranges | undefined): Pattern | undefined => ranges && { kind: "one", ranges };

/** Undefined for half of a surrogate pair: texts hold them, but patterns cannot mean them. */
const literal = (character: string): Ranges | undefined => (isSurrogate(character) ? undefined : [single(character)]);
const isSurrogate = (character: string): boolean => character.length === 1 && character >= "\uD800" && character <= "\uDFFF";

function readGroup(reader: Reader): Pattern | undefined {
  if ((takes(reader, "?") && !takes(reader, ":")) || reader.depth === deepest) return undefined;
  reader.depth++;
  const inner = readChoice(reader);
  reader.depth--;
  return takes(reader, ")") ? inner : undefined;
}

const digits: Ranges = [[0x30, 0x39]];
const letters: Ranges = [...digits, [0x41, 0x5a], single("_"), [0x61, 0x7a]];
const spaces: Ranges = [
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x20, 0x20],
];

const escapes: ReadonlyMap<string, Ranges> = new Map([
  ["d", digits],
  ["D", classOf(digits, true)],
  ["w", letters],
  ["W", classOf(letters, true)],
  ["s", spaces],
  ["S", classOf(spaces, true)],
  ["n", [single("\n")]],
  ["r", [single("\r")]],
  ["t", [single("\t")]],
]);

/** Reads what follows a backslash. */
function readEscape(reader: Reader): Ranges | undefined {
  const character = reader.characters[reader.at++] ?? "";
  return escapes.get(character) ?? (/^[!-/:-@[-`{-~]$/.test(character) ? [single(character)] : undefined);
}

/** Reads a class such as `^a-z0-9_]`, after its `[`. */
function readClass(reader: Reader): Pattern | undefined {
  const isNegated = takes(reader, "^");
  const members: (readonly [number, number])[] = [];
  do {
    const from = readMember(reader);
    if (from === undefined) return undefined;
    // A hyphen before the end stands for itself.
    const isRange = reader.characters[reader.at] === "-" && reader.characters[reader.at + 1] !== "]";
    if (!isRange) {
      members.push(...from);
      continue;
    }
    reader.at++;
    const [low, high] = [pointOf(from), pointOf(readMember(reader))];
    if (low === undefined || high === undefined) return undefined;
    members.push([low, high]);
  } while (!takes(reader, "]"));
  return one(classOf(members, isNegated));
}

/** Named classes begin with `[`, and a `]` that comes first stands for itself; neither is handled here. */
function readMember(reader: Reader): Ranges | undefined {
  const character = reader.characters[reader.at++];
  if (character === undefined || character === "[" || character === "]") return undefined;
  return character === "\\" ? readEscape(reader) : literal(character);
}

/** The code point of ranges that hold one alone. */
function pointOf(ranges: Ranges | undefined): number | undefined {
  const [only, more] = ranges ?? [];
  return only !== undefined && more === undefined && only[0] === only[1] ? only[0] : undefined;
}
