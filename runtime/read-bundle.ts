/**
 * Parses the JSON of a bundle or of a change. Of each unit only the fields needed for the index are parsed; the rest
 * stays text until used.
 */
import type { Bundle, BundleChange, BundledScope, BundledUnit } from "./bundle.ts";
import { invariant } from "./cel/error.ts";

/** Parses a bundle whose integrity the host has verified; `pieces` are concatenated. */
export function readBundle(...pieces: readonly string[]): Bundle {
  const reading = readInSteps<Bundle>(pieces);
  for (;;) {
    const step = reading.next();
    if (step.done === true) return step.value;
  }
}

/**
 * The same, or a change, one line a step. If each unit is on its own line, as `src/texts/in-pieces.ts` and bundle
 * files write it, only the beginning of the line is parsed here, and pieces that end with line feeds are not
 * concatenated.
 */
export function* readInSteps<Of extends Bundle | BundleChange>(pieces: readonly string[]): Generator<undefined, Of> {
  const isOfLines = pieces.slice(0, -1).every((piece) => piece.endsWith("\n"));
  return (yield* readLines<Of>(isOfLines ? pieces : [pieces.join("")])) ?? JSON.parse(pieces.join(""));
}

// These markers cannot occur inside a JSON string, which contains neither raw line feeds nor unescaped quotes.
const beforeShapes = '"shapes":{';
const beforeUnits = '"units":[';
const afterShapes = `},${beforeUnits}`;
// Bundle files have these on lines of their own.
const endOfManifest = "},";
const endOfShapes = "},";
const afterUnits = "]}";
const beforeConstants = ',"constants":[';
const beforeScopes = ',"scopes":[';
const afterScopes = '],"trees":"';
const beforeScope = '{"scope":';
const beforeSource = ',"sourceAttributes":{';
const afterSource = "}}";

/** Returns undefined if the layout differs; the caller then parses the text as a whole. */
function* readLines<Of extends Bundle | BundleChange>(pieces: readonly string[]): Generator<undefined, Of | undefined> {
  const lines = new Lines(pieces);
  let head = lines.next();
  if (head?.endsWith(endOfManifest) === true) head += lines.next() ?? "";
  let shapes: Of["shapes"] | undefined;
  if (head?.endsWith(beforeShapes) === true) {
    const read = yield* readShapes(lines);
    if (read === undefined) return undefined;
    shapes = read;
    head += afterShapes;
  }
  if (head?.endsWith(beforeUnits) !== true) return undefined;
  const units: BundledUnit[] = [];
  let more = true;
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    if (!more) return undefined;
    more = line.endsWith(",");
    const unit = readLine(more ? line.slice(0, -1) : line);
    if (unit === undefined) return undefined;
    units.push(unit);
    yield;
  }
  if ((more && units.length > 0) || lines.rest() !== afterUnits) return undefined;
  const read: Of = JSON.parse(`${head}${afterUnits}`);
  return { ...read, ...(shapes !== undefined && { shapes }), units };
}

/** Parses the shapes, one a line. */
function* readShapes(lines: Lines): Generator<undefined, Bundle["shapes"] | undefined> {
  const shapes: (readonly [digest: string, text: string])[] = [];
  let more = true;
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    if (line === afterShapes || (line === endOfShapes && lines.next() === beforeUnits))
      return more && shapes.length > 0 ? undefined : Object.fromEntries(shapes);
    if (!more) return undefined;
    more = line.endsWith(",");
    const shape: Bundle["shapes"] = JSON.parse(`{${more ? line.slice(0, -1) : line}}`);
    shapes.push(...Object.entries(shape));
    yield;
  }
  return undefined;
}

/** Iterates over the lines of concatenated pieces, without line feeds. */
class Lines {
  readonly #pieces: readonly string[];
  #piece = 0;
  #at = 0;

  constructor(pieces: readonly string[]) {
    this.#pieces = pieces;
  }

  /** Returns the next line; undefined if the rest has no line feed. */
  next(): string | undefined {
    for (; this.#piece < this.#pieces.length; this.#piece++, this.#at = 0) {
      const piece = this.#pieces[this.#piece] ?? "";
      const feed = piece.indexOf("\n", this.#at);
      if (feed === -1 && this.#at < piece.length) return undefined;
      if (feed === -1) continue;
      const line = piece.slice(this.#at, feed);
      this.#at = feed + 1;
      return line;
    }
    return undefined;
  }

  /** Returns the text after the last line. */
  rest(): string {
    return this.#pieces
      .slice(this.#piece)
      .map((piece, index) => (index === 0 ? piece.slice(this.#at) : piece))
      .join("");
  }
}

/** Parses one unit. In the usual layout only its names and the scopes of its policies are parsed. */
function readLine(line: string): BundledUnit | undefined {
  const body = line.indexOf(beforeConstants);
  const scopes = line.indexOf(beforeScopes, body) + beforeScopes.length;
  if (body === -1 || scopes < beforeScopes.length || !line.endsWith('"}')) return undefined;
  const head: Head = JSON.parse(`${line.slice(0, body)}}`);
  const names = scopesIn(line, scopes);
  // A bundle signed by others may have its fields in another order: then parse the whole line.
  if (names === undefined || headFields.some((field) => head[field] === undefined)) return JSON.parse(line);
  return new UnreadUnit(head, names, line);
}

/** Returns the scopes of the policies listed from an offset on; undefined if the layout differs. */
function scopesIn(line: string, from: number): readonly string[] | undefined {
  const scopes: string[] = [];
  for (let at = from; line.startsWith(beforeScope, at);) {
    const scope = at + beforeScope.length;
    scopes.push(JSON.parse(line.slice(scope, line.indexOf('","', scope) + 1)));
    const source = line.indexOf(beforeSource, scope);
    const end = line.indexOf(afterSource, source);
    if (source === -1 || end === -1) return undefined;
    // Source attributes with nested brackets could contain what looks like another policy; without brackets this is
    // possible only inside a string, where quotes are escaped.
    if (/[[{]/.test(line.slice(source + beforeSource.length, end))) return undefined;
    const next = end + afterSource.length;
    if (line.startsWith(afterScopes, next)) return scopes;
    at = line.startsWith(",", next) ? next + 1 : line.length;
  }
  return undefined;
}

type Head = Omit<BundledUnit, "constants" | "scopes" | "trees">;

const headFields = ["id", "type", "name", "writtenName", "version", "digest", "shape"] as const satisfies readonly (keyof Head)[];

/** A unit that stays text until one of its larger fields is read. */
class UnreadUnit implements BundledUnit {
  readonly id: string;
  readonly type: Head["type"];
  readonly name: string;
  readonly writtenName: string;
  readonly version: string;
  readonly digest: string;
  readonly shape: string;
  readonly scopes: readonly BundledScope[];
  #line: string;
  #whole: BundledUnit | undefined;

  constructor({ id, type, name, writtenName, version, digest, shape }: Head, scopes: readonly string[], line: string) {
    this.id = id;
    this.type = type;
    this.name = name;
    this.writtenName = writtenName;
    this.version = version;
    this.digest = digest;
    this.shape = shape;
    this.scopes = scopes.map((scope, index) => new UnreadScope(scope, this, index));
    this.#line = line;
  }

  get constants(): BundledUnit["constants"] {
    return this.read().constants;
  }
  get trees(): string {
    return this.read().trees;
  }

  read(): BundledUnit {
    if (this.#whole === undefined) {
      const whole: BundledUnit = JSON.parse(this.#line);
      invariant(haveSameContent(this, whole), "a line of a bundle says what was found in it");
      this.#whole = whole;
      this.#line = "";
    }
    return this.#whole;
  }
}

/**
 * Whether the fields found by the quick scan equal those of the parsed line. They differ if a name is repeated or
 * escaped.
 */
const haveSameContent = (found: BundledUnit, whole: BundledUnit): boolean =>
  headFields.every((field) => whole[field] === found[field]) &&
  whole.scopes.length === found.scopes.length &&
  whole.scopes.every(({ scope }, index) => scope === found.scopes[index]?.scope);

/** A policy of an `UnreadUnit`. */
class UnreadScope implements BundledScope {
  readonly scope: string;
  readonly #unit: UnreadUnit;
  readonly #index: number;

  constructor(scope: string, unit: UnreadUnit, index: number) {
    this.scope = scope;
    this.#unit = unit;
    this.#index = index;
  }

  get key(): string {
    return this.#read().key;
  }
  get patterns(): BundledScope["patterns"] {
    return this.#read().patterns;
  }
  get rows(): BundledScope["rows"] {
    return this.#read().rows;
  }
  get parentRoles(): BundledScope["parentRoles"] {
    return this.#read().parentRoles;
  }
  get schemas(): BundledScope["schemas"] {
    return this.#read().schemas;
  }
  get sourceAttributes(): BundledScope["sourceAttributes"] {
    return this.#read().sourceAttributes;
  }

  #read(): BundledScope {
    return this.#unit.read().scopes[this.#index] as BundledScope; // exists: its line listed this scope
  }
}
