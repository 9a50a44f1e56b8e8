/** The program that units of one shape share, evaluated on first use. */
import { type Factory, type FindContent, type OpenedShape, memoizeContent } from "./unit-content.ts";
import { invariant } from "./cel/error.ts";
import type { Value } from "./cel/value.ts";
import { openPatternsOf, type Patterns } from "./decide/patterns.ts";
import { measuredPricing } from "./decide/pricing.ts";
import type { Unit } from "./decide/unit.ts";
import { emitted, type Emitted } from "./emitted/index.ts";
import { ownText } from "./own-text.ts";

/** Evaluates program text and returns its value, a factory. */
export type EvaluateProgram = (text: string) => unknown;

/** A program text with its value. */
export interface Shape extends OpenedShape {
  readonly text: string;
  /** Returns everything about a unit of this shape except its names. */
  readonly content: FindContent;
}

type Program = (rt: Emitted, k: readonly Value[]) => Unit;

/** Opens a shape without evaluating it. */
export function openShape(text: string, evaluateProgram: EvaluateProgram): Shape {
  let factory: Factory | undefined;
  let reads: boolean | undefined;
  let hasOutputs: boolean | undefined;
  const shared = new Map<string, Patterns>();
  const shape: OpenedShape = {
    factory() {
      if (factory === undefined) {
        const program = evaluateProgram(text);
        invariant(typeof program === "function", "a shape is the text of a factory");
        // A cast: the emitter guarantees the factory's type; for a foreign bundle, the grammar gate does.
        const made = program as Program;
        factory = (k) => made(emitted, k.map(withOwnText));
      }
      return factory;
    },
    patterns(type, patterns) {
      const key = type + JSON.stringify(patterns);
      const known = shared.get(key) ?? openPatternsOf(type, patterns);
      shared.set(key, known);
      return known;
    },
    readsDerivedRoles: () => (reads ??= derivedRoleReads.some((read) => text.includes(read))),
    hasOutputs: () => (hasOutputs ??= text.includes(outputCall)),
  };
  return { text, ...shape, content: memoizeContent(shape, measuredPricing) };
}

/** Constants that are strings become strings of their own, which are faster to compare than slices. */
const withOwnText = (constant: Value): Value => (typeof constant === "string" ? ownText(constant) : constant);

/** The members of the query by which a program reads derived roles, as the emitter writes them and the gate admits them. */
const derivedRoleReads = ["effectiveDerivedRoles", "record("] as const;
/** The member by which it produces outputs. */
const outputCall = "output(";
