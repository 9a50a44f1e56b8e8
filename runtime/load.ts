/**
 * Loads a bundle into an evaluator. Only here and in the sandbox does text become program. Units are loaded on first
 * use.
 */
import type { Bundle, BundleChange, BundledUnit, Manifest } from "./bundle.ts";
import { invariant } from "./cel/error.ts";
import type { Evaluator } from "./decide/decision.ts";
import { openEvaluator } from "./decide/evaluator.ts";
import { editIndex, emptyIndex, type VersionedIndex } from "./decide/index-draft.ts";
import type { LoadedUnit } from "./decide/loaded-unit.ts";
import { openUnit } from "./open-unit.ts";
import { type EvaluateProgram, openShape, type Shape } from "./shape.ts";
import { type Draft, VersionedMap } from "./versioned-map.ts";

export type { EvaluateProgram } from "./shape.ts";

/** An evaluator from which the next bundle can take unchanged parts. */
export interface Loaded extends Evaluator, Parts {
  readonly manifest: Manifest;
}

/** The parts of a loaded bundle. */
interface Parts {
  /** By id. */
  readonly units: VersionedMap<LoadedUnit>;
  /** By digest. */
  readonly shapes: VersionedMap<Shape>;
  /** Number of units of each shape, by its digest. */
  readonly uses: VersionedMap<number>;
  readonly index: VersionedIndex;
}

const nothing: Parts = { units: VersionedMap.of(), shapes: VersionedMap.of(), uses: VersionedMap.of(), index: emptyIndex };

/** Loads a bundle; reuses units and shapes of `previous` that are unchanged. */
export const load = (bundle: Bundle, evaluateProgram: EvaluateProgram, previous?: Loaded): Loaded =>
  atOnce(loadInSteps(bundle, evaluateProgram, previous));

/** The same in small steps, so that a caller can do other work between them. */
export const loadInSteps = (bundle: Bundle, evaluateProgram: EvaluateProgram, previous?: Loaded): Generator<undefined, Loaded> =>
  build(nothing, { ...bundle, removed: [] }, evaluateProgram, previous);

/**
 * Applies a change to a loaded set and returns the new one; `to` is not modified. Costs in proportion to the change.
 * Throws if `what` builds on another set.
 */
export const change = (what: BundleChange, evaluateProgram: EvaluateProgram, to: Loaded): Loaded =>
  atOnce(changeInSteps(what, evaluateProgram, to));

/** The same in small steps. */
export function changeInSteps(what: BundleChange, evaluateProgram: EvaluateProgram, to: Loaded): Generator<undefined, Loaded> {
  if (to.manifest.digest !== what.from)
    throw new Error(`the change builds on the policy set ${what.from}, but ${to.manifest.digest} is in force: load the whole set`);
  return build(to, what, evaluateProgram, to);
}

function atOnce<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Units handled in one step. */
const unitsOfStep = 256;

/** Applies a change to `on`, a step at a time. Units and shapes of `previous` that are equal are reused. */
function* build(
  on: Parts,
  { manifest, shapes: added, units: changed, removed }: Omit<BundleChange, "from">,
  evaluateProgram: EvaluateProgram,
  previous: Parts | undefined,
): Generator<undefined, Loaded> {
  const shapes = on.shapes.edit();
  const units = on.units.edit();
  const index = editIndex(on.index);
  /** Change in the number of units of each shape. */
  const uses = new Map<string, number>();
  const count = (shape: string, by: 1 | -1): void => void uses.set(shape, (uses.get(shape) ?? 0) + by);
  const take = (id: string): void => {
    const unit = units.get(id);
    if (unit === undefined) return;
    units.delete(id);
    index.take(unit);
    count(unit.shape, -1);
  };
  for (const [digest, text] of Object.entries(added)) {
    const known = previous?.shapes.get(digest);
    shapes.set(digest, known?.text === text ? known : openShape(text, evaluateProgram));
  }
  // Remove first: a new unit may have the name of a removed one.
  for (const some of inParts(removed)) {
    some.forEach(take);
    yield;
  }
  for (const some of inParts(changed)) {
    for (const { id } of some) take(id);
    yield;
  }
  for (const some of inParts(changed)) {
    for (const bundled of some) {
      const unit = open(bundled, shapes, previous);
      take(unit.id); // if an id occurs twice, the last one counts
      units.set(unit.id, unit);
      index.put(unit);
      count(unit.shape, 1);
    }
    yield;
  }
  const used = countUses(on.uses, uses, shapes);
  const parts: Parts = { units: units.finish(), shapes: shapes.finish(), uses: used, index: index.finish() };
  return { manifest, ...parts, ...openEvaluator(parts.index) };
}

function* inParts<One>(all: readonly One[]): Generator<readonly One[]> {
  for (let at = 0; at < all.length; at += unitsOfStep) yield all.slice(at, at + unitsOfStep);
}

/** Removes shapes that no unit uses any more. */
function countUses(before: Parts["uses"], more: ReadonlyMap<string, number>, shapes: Draft<Shape>): Parts["uses"] {
  const uses = before.edit();
  for (const [shape, by] of more) {
    const now = (before.get(shape) ?? 0) + by;
    if (now > 0) uses.set(shape, now);
    else {
      uses.delete(shape);
      shapes.delete(shape);
    }
  }
  return uses.finish();
}

/** Loads a unit, or reuses that of the previous set if digest and program text are the same. */
function open(unit: BundledUnit, shapes: Pick<Draft<Shape>, "get">, previous: Parts | undefined): LoadedUnit {
  const shape = shapes.get(unit.shape);
  invariant(shape !== undefined, "a bundle holds the shape of each of its units");
  const known = previous?.units.get(unit.id);
  return known?.digest === unit.digest && previous?.shapes.get(unit.shape) === shape ? known : openUnit(unit, shape.content);
}

/** Evaluates program text in this realm, without a sandbox: for embedders who trust the origin of the bundle. */
export const evaluateInThisRealm: EvaluateProgram = (text) => new Function(`"use strict"; return (${text}\n);`)();
