/** Bundle -> Evaluator: the one place, beside the sandbox, where text becomes program. Units are loaded when first asked. */
import type { Bundle, BundleChange, BundledUnit, Manifest } from "./bundle.ts";
import { invariant } from "./cel/error.ts";
import type { Evaluator } from "./decide/decision.ts";
import { openEvaluator } from "./decide/evaluator.ts";
import type { LoadedUnit } from "./decide/loaded-unit.ts";
import { indexUnits, type PolicyIndex, reindex } from "./decide/policy-index.ts";
import { openUnit } from "./open-unit.ts";
import { type EvaluateProgram, openShape, type Shape } from "./shape.ts";

export type { EvaluateProgram, Shape } from "./shape.ts";

/** An evaluator that the next bundle can take unchanged parts from. */
export interface Loaded extends Evaluator {
  readonly manifest: Manifest;
  /** By id. */
  readonly units: ReadonlyMap<string, LoadedUnit>;
  /** By digest. */
  readonly shapes: ReadonlyMap<string, Shape>;
  readonly index: PolicyIndex;
}

/** Loads a bundle; units and shapes that `previous` has already are taken from it. */
export function load(bundle: Bundle, evaluateProgram: EvaluateProgram, previous?: Loaded): Loaded {
  const shapes = new Map<string, Shape>();
  const units = new Map<string, LoadedUnit>();
  for (const [digest, text] of Object.entries(bundle.shapes)) {
    const known = previous?.shapes.get(digest);
    shapes.set(digest, known?.text === text ? known : openShape(text, evaluateProgram));
  }
  for (const unit of bundle.units) units.set(unit.id, open(unit, shapes, previous));
  return evaluatorOf(bundle.manifest, units, shapes, indexUnits(units.values()));
}

/** Puts a change into a loaded set; what did not change is not looked at. */
export function change(what: BundleChange, evaluateProgram: EvaluateProgram, to: Loaded): Loaded {
  const steps = changeInSteps(what, evaluateProgram, to);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Units that are looked at in a step. */
const unitsOfStep = 256;

/** The same little by little; the set that is changed stays what it is. */
export function* changeInSteps(
  { from, manifest, shapes: added, units: changed, removed }: BundleChange,
  evaluateProgram: EvaluateProgram,
  to: Loaded,
): Generator<undefined, Loaded> {
  if (to.manifest.digest !== from)
    throw new Error(`the change builds on the policy set ${from}, but ${to.manifest.digest} is in force: load the whole set`);
  const shapes = new Map(to.shapes);
  const units = new Map(to.units);
  for (const [digest, text] of Object.entries(added))
    if (shapes.get(digest)?.text !== text) shapes.set(digest, openShape(text, evaluateProgram));
  const fewer = [...removed, ...changed.map(({ id }) => id)].flatMap((id) => to.units.get(id) ?? []);
  const more: LoadedUnit[] = [];
  for (const some of inParts(changed)) {
    for (const unit of some) more.push(open(unit, shapes, to));
    yield;
  }
  for (const { id } of fewer) units.delete(id);
  for (const unit of more) units.set(unit.id, unit);
  dropUnused(shapes, fewer, units);
  yield;
  return evaluatorOf(manifest, units, shapes, yield* reindexInSteps(to.index, fewer, more));
}

/** All that are to go are gone before one comes: it may have the name of one of them. */
function* reindexInSteps(
  before: PolicyIndex,
  fewer: readonly LoadedUnit[],
  more: readonly LoadedUnit[],
): Generator<undefined, PolicyIndex> {
  if (fewer.length + more.length <= unitsOfStep) return reindex(before, fewer, more);
  let index = before;
  for (const some of inParts(fewer)) {
    index = reindex(index, some, []);
    yield;
  }
  for (const some of inParts(more)) {
    index = reindex(index, [], some);
    yield;
  }
  return index;
}

function* inParts<One>(all: readonly One[]): Generator<readonly One[]> {
  for (let at = 0; at < all.length; at += unitsOfStep) yield all.slice(at, at + unitsOfStep);
}

/** Drops the shapes that only units had which are no more. */
function dropUnused(shapes: Map<string, Shape>, gone: readonly LoadedUnit[], units: Loaded["units"]): void {
  const doubtful = new Set(gone.map(({ shape }) => shape));
  for (const { shape } of units.values()) doubtful.delete(shape);
  for (const shape of doubtful) shapes.delete(shape);
}

/** Opens a unit, or takes it from the set before where it is the same and of the same text. */
function open(unit: BundledUnit, shapes: ReadonlyMap<string, Shape>, previous: Loaded | undefined): LoadedUnit {
  const shape = shapes.get(unit.shape);
  invariant(shape !== undefined, "a bundle holds the shape of each of its units");
  const known = previous?.units.get(unit.id);
  return known?.digest === unit.digest && previous?.shapes.get(unit.shape) === shape ? known : openUnit(unit, shape.alike);
}

const evaluatorOf = (manifest: Manifest, units: Loaded["units"], shapes: Loaded["shapes"], index: PolicyIndex): Loaded => ({
  manifest,
  units,
  shapes,
  index,
  ...openEvaluator(index),
});

/** Evaluates program text in this realm: for embedders who trust where the bundle comes from. */
export const evaluateInThisRealm: EvaluateProgram = (text) => new Function(`"use strict"; return (${text}\n);`)();
