/** Modules -> Bundle: deterministic data, the same for the same modules; hashing is an argument. */
import type { Bundle, BundledUnit } from "../runtime/bundle.ts";
import { byUnits } from "../runtime/order.ts";
import type { Module } from "./emit/module.ts";

/** Changes whenever the same policies may give another bundle: only bundles of this one can be loaded. */
export const compilerVersion = "3";

/** Packs modules, which come in the order of their ids, into a bundle. Units of one shape share one text. */
export function pack(modules: readonly Module[], { digest }: { readonly digest: (text: string) => string }): Bundle {
  const texts = new Map<string, string>();
  for (const { unit, text } of modules) if (!texts.has(unit.shape)) texts.set(unit.shape, text);
  const shapes = [...texts].sort(([left], [right]) => byUnits(left, right));
  const units = modules.map(({ unit }) => unit);
  const names = shapes.map(([shape]) => shape);
  return { manifest: { format: 1, compilerVersion, digest: setDigest(names, units, digest) }, shapes: Object.fromEntries(shapes), units };
}

/** Returns the digest of a policy set: of its shapes and its units, both in their order. */
export function setDigest(shapes: readonly string[], units: readonly BundledUnit[], digest: (text: string) => string): string {
  // Digests are of one length, and a unit's holds its id and shape: what is joined can be read in one way only.
  return digest([compilerVersion, ...shapes, "", ...units.map((unit) => unit.digest)].join("\n"));
}
