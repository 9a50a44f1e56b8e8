/** The program text that units of one shape share, evaluated when it is first asked. */
import { invariant } from "./cel/error.ts";
import type { Value } from "./cel/value.ts";
import { type OpenPatterns, openPatternsOf, type Patterns } from "./decide/patterns.ts";
import type { Unit } from "./decide/unit.ts";
import { emitted, type Emitted } from "./emitted/index.ts";

/** Turns program text into what the program is: a factory. */
export type EvaluateProgram = (text: string) => unknown;

/** A text, and what it is. */
export interface Shape {
  readonly text: string;
  readonly factory: () => Factory;
  /** The patterns of a policy of one of its units. Alike ones are shared: what few requests ask for is then seldom far away. */
  readonly patterns: OpenPatterns;
  /** Whether its program may look at the derived roles of the request: `runtime` in a policy. */
  readonly readsDerivedRoles: () => boolean;
  /** Whether its program may tell the caller something: an output. */
  readonly tells: () => boolean;
}

/** Makes the program of a unit, given its constants. */
export type Factory = (k: readonly Value[]) => Unit;

type Program = (rt: Emitted, k: readonly Value[]) => Unit;

/** Opens a shape; nothing is evaluated yet. */
export function openShape(text: string, evaluateProgram: EvaluateProgram): Shape {
  let factory: Factory | undefined;
  let reads: boolean | undefined;
  let tells: boolean | undefined;
  const shared = new Map<string, Patterns>();
  return {
    text,
    factory() {
      if (factory === undefined) {
        const program = evaluateProgram(text);
        invariant(typeof program === "function", "a shape is the text of a factory");
        // A true edge: the emitter (or, for a foreign bundle, the grammar gate) vouches for the factory's shape.
        const made = program as Program;
        factory = (k) => made(emitted, k);
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
}

/** The query's members by which a program reads them, as the emitter writes them and the gate admits them. */
const waysToRead = ["effectiveDerivedRoles", "record("] as const;
/** The one by which it tells. */
const wayToTell = "output(";
