/** Modules -> Bundle: deterministic data, the same for the same modules; hashing is an argument. */
import type { Bundle, BundledUnit } from "../runtime/bundle.ts";
import { byUnits } from "../runtime/order.ts";
import type { Module } from "./emit/module.ts";

/** Changes whenever the same policies may give another bundle: only bundles of this one can be loaded. */
export const compilerVersion = "6";

interface Hashing {
  readonly digest: (text: string) => string;
}

/** A bundle, and what makes packing the next one cheap when few of its modules differ. */
export interface Packed {
  readonly bundle: Bundle;
  readonly modules: readonly Module[];
  /** How many units have each shape, by its digest. */
  readonly uses: ReadonlyMap<string, number>;
  /** Digests of units, joined by blocks. */
  readonly blocks: readonly string[];
}

/** Packs modules, which come in the order of their ids, into a bundle. Units of one shape share one text. */
export function pack(modules: readonly Module[], hashing: Hashing): Bundle {
  return packWhole(modules, hashing).bundle;
}

/** Packs modules; what comes out is the same with or without what was packed before. */
export function packAgain(modules: readonly Module[], hashing: Hashing, before: Packed | undefined): Packed {
  const changed = before && changedPlaces(before.modules, modules);
  return before === undefined || changed === undefined ? packWhole(modules, hashing) : replace(before, modules, changed, hashing);
}

function packWhole(modules: readonly Module[], hashing: Hashing): Packed {
  const texts = new Map<string, string>();
  const uses = new Map<string, number>();
  for (const { unit, text } of modules) {
    if (!texts.has(unit.shape)) texts.set(unit.shape, text);
    uses.set(unit.shape, (uses.get(unit.shape) ?? 0) + 1);
  }
  const units = modules.map(({ unit }) => unit);
  return finish(modules, units, Object.fromEntries(inOrder(texts)), uses, blocksOf(units), hashing);
}

/** Where modules differ that are of the same units; undefined when they are of others, or all have changed. */
function changedPlaces(before: readonly Module[], now: readonly Module[]): readonly number[] | undefined {
  if (before.length !== now.length) return undefined;
  const places: number[] = [];
  for (let index = 0; index < now.length; index++) {
    if (now[index] === before[index]) continue;
    if (now[index]?.unit.id !== before[index]?.unit.id || places.length === mostChanged) return undefined;
    places.push(index);
  }
  return places;
}

const mostChanged = 200;

function replace(before: Packed, modules: readonly Module[], places: readonly number[], hashing: Hashing): Packed {
  const units = [...before.bundle.units];
  const blocks = [...before.blocks];
  const uses = new Map(before.uses);
  const texts = new Map<string, string>();
  for (const index of places) {
    const [was, now] = [before.modules[index], modules[index]];
    if (was === undefined || now === undefined) continue; // there are as many
    units[index] = now.unit;
    uses.set(was.unit.shape, (uses.get(was.unit.shape) ?? 0) - 1);
    uses.set(now.unit.shape, (uses.get(now.unit.shape) ?? 0) + 1);
    texts.set(now.unit.shape, now.text);
  }
  for (const index of new Set(places.map((place) => Math.floor(place / blockLength)))) blocks[index] = blockOf(units, index);
  return finish(modules, units, replaceShapes(before.bundle.shapes, texts, uses), uses, blocks, hashing);
}

/** Returns the same shapes when none came and none went. */
function replaceShapes(
  before: Bundle["shapes"],
  texts: ReadonlyMap<string, string>,
  uses: Map<string, number>,
): Readonly<Record<string, string>> {
  const unused = [...uses].filter(([, count]) => count === 0).map(([shape]) => shape);
  for (const shape of unused) uses.delete(shape);
  const isSame = unused.length === 0 && [...texts.keys()].every((shape) => Object.hasOwn(before, shape));
  return isSame ? before : Object.fromEntries(inOrder([...Object.entries(before), ...texts].filter(([shape]) => uses.has(shape))));
}

const inOrder = (texts: Iterable<readonly [shape: string, text: string]>): readonly (readonly [string, string])[] =>
  [...new Map(texts)].sort(([left], [right]) => byUnits(left, right));

function finish(
  modules: readonly Module[],
  units: readonly BundledUnit[],
  shapes: Bundle["shapes"],
  uses: Packed["uses"],
  blocks: Packed["blocks"],
  hashing: Hashing,
): Packed {
  const digest = digestOfBlocks(Object.keys(shapes), blocks, hashing.digest);
  return { bundle: { manifest: { format: 1, compilerVersion, digest }, shapes, units }, modules, uses, blocks };
}

/** Returns the digest of a policy set: of its shapes and its units, both in their order. */
export function setDigest(shapes: readonly string[], units: readonly BundledUnit[], digest: (text: string) => string): string {
  return digestOfBlocks(shapes, blocksOf(units), digest);
}

// Digests are of one length, and a unit's holds its id and shape: what is joined can be read in one way only.
const digestOfBlocks = (shapes: readonly string[], blocks: Packed["blocks"], digest: Hashing["digest"]): string =>
  digest([compilerVersion, ...shapes, "", ...blocks].join("\n"));

const blockLength = 64;

const blocksOf = (units: readonly BundledUnit[]): readonly string[] =>
  Array.from({ length: Math.ceil(units.length / blockLength) }, (_, index) => blockOf(units, index));

const blockOf = (units: readonly BundledUnit[], index: number): string =>
  units
    .slice(index * blockLength, (index + 1) * blockLength)
    .map((unit) => unit.digest)
    .join("\n");
