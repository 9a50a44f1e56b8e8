/** Modules -> Bundle: deterministic data, the same for the same modules; hashing is an argument. */
import type { Bundle } from "../runtime/bundle.ts";
import { byUnits } from "../runtime/order.ts";
import type { Module } from "./emit/module.ts";

/** Changes whenever the same policies may give another bundle. */
const compilerVersion = "1";

/** Packs modules into a bundle. Units of one shape share one text. */
export function pack(modules: readonly Module[], { digest }: { readonly digest: (text: string) => string }): Bundle {
  const ordered = modules.toSorted((left, right) => byUnits(left.unit.id, right.unit.id));
  const texts = new Map(ordered.map(({ unit, text }) => [unit.shape, text]));
  const shapes = Object.fromEntries([...texts].sort(([left], [right]) => byUnits(left, right)));
  const units = ordered.map(({ unit }) => unit);
  const identity = JSON.stringify([compilerVersion, Object.keys(shapes), units.map((unit) => unit.digest)]);
  return { manifest: { format: 1, compilerVersion, digest: digest(identity) }, shapes, units };
}
