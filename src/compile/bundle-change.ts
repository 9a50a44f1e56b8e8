/** Computes the change that turns one bundle into another. */
import type { Bundle, BundleChange, BundledUnit } from "../../runtime/bundle.ts";
import { byUnits } from "../../runtime/order.ts";
import type { ChangeCounts } from "./store-state.ts";

/** Returns the change from one bundle to the other. In both, units are ordered by id. */
export function bundleChange(from: Bundle, to: Bundle): BundleChange {
  const isOfSameShapes = to.shapes === from.shapes; // of thousands of units, mostly all
  const shapes = isOfSameShapes ? [] : Object.entries(to.shapes).filter(([digest]) => !Object.hasOwn(from.shapes, digest));
  const units: BundledUnit[] = [];
  const removed: string[] = [];
  let at = 0;
  for (const unit of to.units) {
    let before = from.units[at];
    if (before === unit) {
      at++; // most units are the same object
      continue;
    }
    for (; before !== undefined && byUnits(before.id, unit.id) < 0; before = from.units[++at]) removed.push(before.id);
    const isKnown = before?.id === unit.id;
    if (isKnown) at++;
    if (!isKnown || before?.digest !== unit.digest) units.push(unit);
  }
  for (const { id } of from.units.slice(at)) removed.push(id);
  return { from: from.manifest.digest, manifest: to.manifest, shapes: Object.fromEntries(shapes), units, removed };
}

/** Counts the units of a change, where the policies before it are not known. */
export const countUnitChanges = ({ units, removed }: BundleChange): ChangeCounts => ({
  created: 0,
  updated: units.length,
  deleted: removed.length,
});
