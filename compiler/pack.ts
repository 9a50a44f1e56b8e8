/** Packs modules into a bundle, deterministically: equal modules give an equal bundle. The hash function is an argument. */
import type { Bundle, BundledUnit } from "../runtime/bundle.ts";
import { byUnits } from "../runtime/order.ts";
import type { Module } from "./emit/module.ts";

/** Changes whenever the same policies may give another bundle. Only bundles of the same version can be loaded. */
export const compilerVersion = "7";

interface Hashing {
  readonly digest: (text: string) => string;
}

/** A bundle, and the data that makes packing the next one cheap if few of its modules differ. */
export interface PackedBundle {
  readonly bundle: Bundle;
  readonly modules: readonly Module[];
  /** The number of units of each shape, by the shape's digest. */
  readonly uses: ReadonlyMap<string, number>;
  /** The digests of units, concatenated in blocks. */
  readonly blocks: readonly string[];
}

/** Packs modules, which must be sorted by id, into a bundle. Units of the same shape share one program text. */
export function pack(modules: readonly Module[], hashing: Hashing): Bundle {
  return packWhole(modules, hashing).bundle;
}

/** Packs modules, reusing what was packed before. The bundle is the same with or without `before`. */
export function repack(modules: readonly Module[], hashing: Hashing, before: PackedBundle | undefined): PackedBundle {
  if (before === undefined) return packWhole(modules, hashing);
  const { removed, added } = changedModules(before.modules, modules);
  const uses = new Map(before.uses);
  const texts = new Map<string, string>();
  for (const { unit } of removed) uses.set(unit.shape, (uses.get(unit.shape) ?? 0) - 1);
  for (const { unit, text } of added) {
    uses.set(unit.shape, (uses.get(unit.shape) ?? 0) + 1);
    texts.set(unit.shape, text);
  }
  const units = modules.map(({ unit }) => unit);
  return finish(modules, units, replaceShapes(before.bundle.shapes, texts, uses), uses, blocksOf(units, before), hashing);
}

function packWhole(modules: readonly Module[], hashing: Hashing): PackedBundle {
  const texts = new Map<string, string>();
  const uses = new Map<string, number>();
  for (const { unit, text } of modules) {
    if (!texts.has(unit.shape)) texts.set(unit.shape, text);
    uses.set(unit.shape, (uses.get(unit.shape) ?? 0) + 1);
  }
  const units = modules.map(({ unit }) => unit);
  return finish(modules, units, Object.fromEntries(inOrder(texts)), uses, blocksOf(units), hashing);
}

/** Compares two lists of modules, both ordered by id, most of whose elements are in both. */
function changedModules(
  before: readonly Module[],
  now: readonly Module[],
): { readonly removed: readonly Module[]; readonly added: readonly Module[] } {
  const removed: Module[] = [];
  const added: Module[] = [];
  let at = 0;
  for (const module of now) {
    if (before[at] === module) {
      at++;
      continue;
    }
    added.push(module);
    for (let was = before[at]; was !== undefined && byUnits(was.unit.id, module.unit.id) <= 0; was = before[++at]) removed.push(was);
  }
  removed.push(...before.slice(at));
  return { removed, added };
}

/** Returns the same object if no shape was added or removed. */
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
  uses: PackedBundle["uses"],
  blocks: PackedBundle["blocks"],
  hashing: Hashing,
): PackedBundle {
  const digest = digestOfBlocks(Object.keys(shapes), blocks, hashing.digest);
  return { bundle: { manifest: { format: 1, compilerVersion, digest }, shapes, units }, modules, uses, blocks };
}

/** Returns the digest of a policy set: of its shapes and units, each in order. */
export function setDigest(shapes: readonly string[], units: readonly BundledUnit[], digest: (text: string) => string): string {
  return digestOfBlocks(shapes, blocksOf(units), digest);
}

// Digests have a fixed length, and a unit's digest covers its id and shape, so the concatenation is unambiguous.
const digestOfBlocks = (shapes: readonly string[], blocks: PackedBundle["blocks"], digest: Hashing["digest"]): string =>
  digest([compilerVersion, ...shapes, "", ...blocks].join("\n"));

const blockLength = 64;

/** Most blocks are of the very units that they were of before. */
const blocksOf = (units: readonly BundledUnit[], before?: Pick<PackedBundle, "bundle" | "blocks">): readonly string[] =>
  Array.from({ length: Math.ceil(units.length / blockLength) }, (_, index) => {
    const block = blockIn(units, index);
    const known = before?.blocks[index];
    const was = before === undefined ? [] : blockIn(before.bundle.units, index);
    const isSame = known !== undefined && block.length === was.length && block.every((unit, at) => unit === was[at]);
    return isSame ? known : block.map((unit) => unit.digest).join("\n");
  });

const blockIn = (units: readonly BundledUnit[], index: number): readonly BundledUnit[] =>
  units.slice(index * blockLength, (index + 1) * blockLength);
