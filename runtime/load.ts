/** Bundle -> Evaluator: the one place, beside the sandbox, where text becomes program. Units are loaded when first asked. */
import type { Bundle, BundledUnit } from "./bundle.ts";
import { invariant } from "./cel/error.ts";
import { timestampFromMilliseconds } from "./cel/timestamp.ts";
import type { Value } from "./cel/value.ts";
import { readConstant } from "./constant.ts";
import { decide } from "./decide/decide.ts";
import type { Evaluator } from "./decide/decision.ts";
import { indexUnits, type LoadedUnit } from "./decide/policy-index.ts";
import { readTrees, type UnitTrees } from "./decide/trees.ts";
import type { Unit } from "./decide/unit.ts";
import { type Emitted, emitted } from "./emitted/index.ts";

/** Turns program text into what the program is: a factory. */
export type EvaluateProgram = (text: string) => unknown;

/** An evaluator that the next bundle can take unchanged parts from. */
export interface Loaded extends Evaluator {
  readonly bundle: Bundle;
  /** By digest. */
  readonly units: ReadonlyMap<string, LoadedUnit>;
  /** By digest. */
  readonly shapes: ReadonlyMap<string, Shape>;
}

/** A program text, evaluated when first asked: units of one shape share it. */
export interface Shape {
  readonly text: string;
  readonly factory: () => Factory;
}

type Factory = (rt: Emitted, k: readonly Value[]) => Unit;

/** Loads a bundle; units and shapes that `previous` has already are taken from it. */
export function load(bundle: Bundle, evaluateProgram: EvaluateProgram, previous?: Loaded): Loaded {
  const shapes = new Map<string, Shape>();
  const units = new Map<string, LoadedUnit>();
  for (const [digest, text] of Object.entries(bundle.shapes)) {
    const known = previous?.shapes.get(digest);
    shapes.set(digest, known?.text === text ? known : openShape(text, evaluateProgram));
  }
  for (const unit of bundle.units) {
    const shape = shapes.get(unit.shape);
    invariant(shape !== undefined, "a bundle holds the shape of each of its units");
    units.set(unit.digest, previous?.units.get(unit.digest) ?? openUnit(unit, shape));
  }
  const policies = { resource: indexUnits(units.values()) };
  return {
    bundle,
    units,
    shapes,
    check(inputs, options) {
      const context = { now: timestampFromMilliseconds(options.now) };
      return inputs.map((input) => decide(policies, input, options, context));
    },
  };
}

function openShape(text: string, evaluateProgram: EvaluateProgram): Shape {
  let factory: Factory | undefined;
  return {
    text,
    factory() {
      if (factory === undefined) {
        const program = evaluateProgram(text);
        invariant(typeof program === "function", "a shape is the text of a factory");
        // A true edge: the emitter (or, for a foreign bundle, the grammar gate) vouches for the factory's shape.
        factory = program as Factory;
      }
      return factory;
    },
  };
}

function openUnit(unit: BundledUnit, shape: Shape): LoadedUnit {
  let program: Unit | undefined;
  let trees: UnitTrees | undefined;
  return {
    name: unit.name,
    version: unit.version,
    digest: unit.digest,
    scopes: unit.scopes,
    program: () => (program ??= shape.factory()(emitted, unit.constants.map(readConstant))),
    trees: () => (trees ??= readTrees(unit.trees)),
    memory: { last: undefined },
  };
}

/** Evaluates program text in this realm: for embedders who trust where the bundle comes from. */
export const evaluateInThisRealm: EvaluateProgram = (text) => new Function(`"use strict"; return (${text}\n);`)();
