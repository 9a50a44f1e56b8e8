/** The program that units of one shape share, evaluated when it is first used. */
import { type Factory, type FindAlike, type OpenedShape, rememberAlike } from "./alike.ts";
import { invariant } from "./cel/error.ts";
import type { Value } from "./cel/value.ts";
import { openPatternsOf, type Patterns } from "./decide/patterns.ts";
import { asRead } from "./decide/pricing.ts";
import type { Unit } from "./decide/unit.ts";
import { emitted, type Emitted } from "./emitted/index.ts";
import { ownText } from "./own-text.ts";

/** Turns program text into what the program is: a factory. */
export type EvaluateProgram = (text: string) => unknown;

/** A text, and what it is. */
export interface Shape extends OpenedShape {
  readonly text: string;
  /** What a unit of it is but for its names. */
  readonly alike: FindAlike;
}

type Program = (rt: Emitted, k: readonly Value[]) => Unit;

/** Opens a shape; nothing is evaluated yet. */
export function openShape(text: string, evaluateProgram: EvaluateProgram): Shape {
  let factory: Factory | undefined;
  let reads: boolean | undefined;
  let tells: boolean | undefined;
  const shared = new Map<string, Patterns>();
  const shape: OpenedShape = {
    factory() {
      if (factory === undefined) {
        const program = evaluateProgram(text);
        invariant(typeof program === "function", "a shape is the text of a factory");
        // A true edge: the emitter (or, for a foreign bundle, the grammar gate) vouches for the factory's shape.
        const made = program as Program;
        factory = (k) => made(emitted, k.map(standingAlone));
      }
      return factory;
    },
    patterns(type, patterns) {
      const key = type + JSON.stringify(patterns);
      const known = shared.get(key) ?? openPatternsOf(type, patterns);
      shared.set(key, known);
      return known;
    },
    readsDerivedRoles: () => (reads ??= waysToRead.some((way) => text.includes(way))),
    tells: () => (tells ??= text.includes(wayToTell)),
  };
  return { text, ...shape, alike: rememberAlike(shape, asRead) };
}

/** What generated code compares with is a whole text. */
const standingAlone = (constant: Value): Value => (typeof constant === "string" ? ownText(constant) : constant);

/** The query's members by which a program reads them, as the emitter writes them and the gate admits them. */
const waysToRead = ["effectiveDerivedRoles", "record("] as const;
/** The one by which it tells. */
const wayToTell = "output(";
