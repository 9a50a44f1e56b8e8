/** JSON of a bundle -> `Bundle`, whose units are parsed as far as indexing needs: the larger part of each stays text until it is asked for. */
import type { Bundle, BundledScope, BundledUnit } from "./bundle.ts";

/**
 * Reads a bundle that the host vouches for, whole or in pieces. Where each unit stands on a line of its own, written as
 * `src/texts/in-pieces.ts` and bundle files write it, only the beginning of the line is parsed here, and pieces that end with
 * lines are not put together.
 */
export function readBundle(...pieces: readonly string[]): Bundle {
  const isOfLines = pieces.slice(0, -1).every((piece) => piece.endsWith("\n"));
  return readLines(isOfLines ? pieces : [pieces.join("")]) ?? JSON.parse(pieces.join(""));
}

// No text of JSON holds a line feed or a bare quote, so that none of these can be found inside of one.
const beforeUnits = '"units":[\n';
const afterUnits = "]}";
const beforeConstants = ',"constants":[';
const beforeScopes = ',"scopes":[';
const scopeName = '"scope":';
const beforeScope = `{${scopeName}`;

/** Undefined where something stands otherwise: then it is parsed whole, and fails as a whole. */
function readLines(pieces: readonly string[]): Bundle | undefined {
  const [first = ""] = pieces;
  const start = first.indexOf(beforeUnits) + beforeUnits.length;
  if (start < beforeUnits.length) return undefined;
  const units: BundledUnit[] = [];
  let at = start;
  let more = true;
  let rest = "";
  for (const piece of pieces) {
    while (more && at < piece.length) {
      const feed = piece.indexOf("\n", at);
      if (feed === -1) return undefined;
      more = piece[feed - 1] === ",";
      const unit = readLine(piece.slice(at, more ? feed - 1 : feed));
      if (unit === undefined) return undefined;
      units.push(unit);
      at = feed + 1;
    }
    rest += piece.slice(at);
    at = 0;
  }
  if (more || rest !== afterUnits) return undefined;
  const { manifest, shapes }: Bundle = JSON.parse(`${first.slice(0, start)}${afterUnits}`);
  return { manifest, shapes, units };
}

/** Most units have one policy; one that may have more is read at once. */
function readLine(line: string): BundledUnit | undefined {
  const body = line.indexOf(beforeConstants);
  const scopes = line.indexOf(beforeScopes, body) + beforeScopes.length;
  if (body === -1 || scopes < beforeScopes.length || !line.endsWith('"}')) return undefined;
  const scope = scopes + beforeScope.length;
  // Another policy has a scope too, wherever it stands in it; what looks like one may stand in what is said of a source.
  if (!line.startsWith(beforeScope, scopes) || line.indexOf(scopeName, scope) !== -1) return JSON.parse(line);
  const head: Head = JSON.parse(`${line.slice(0, body)}}`);
  // Whoever signs a bundle may have written its names in another order.
  if (headFields.some((field) => head[field] === undefined)) return JSON.parse(line);
  return new UnreadUnit(head, JSON.parse(line.slice(scope, line.indexOf('","', scope) + 1)), line);
}

type Head = Omit<BundledUnit, "constants" | "scopes" | "trees">;

const headFields = ["id", "type", "name", "writtenName", "version", "digest", "shape"] as const satisfies readonly (keyof Head)[];

/** A unit that is a text until somebody looks into it. */
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

  constructor({ id, type, name, writtenName, version, digest, shape }: Head, scope: string, line: string) {
    this.id = id;
    this.type = type;
    this.name = name;
    this.writtenName = writtenName;
    this.version = version;
    this.digest = digest;
    this.shape = shape;
    this.scopes = [new UnreadScope(scope, this)];
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
      this.#whole = JSON.parse(this.#line) as BundledUnit;
      this.#line = "";
    }
    return this.#whole;
  }
}

/** The policy of such a unit. */
class UnreadScope implements BundledScope {
  readonly scope: string;
  readonly #unit: UnreadUnit;

  constructor(scope: string, unit: UnreadUnit) {
    this.scope = scope;
    this.#unit = unit;
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
    return this.#unit.read().scopes[0] as BundledScope; // its line said so
  }
}
