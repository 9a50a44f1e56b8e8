/** Collects the expectations of a table's entries for each principal and resource, and finds contradictions between them. */
import type { Mistake, Placed } from "../../compiler/yaml/shape.ts";
import type { Value } from "../../runtime/cel/value.ts";
import { conflictingExpectations } from "./suite-mistakes.ts";
import { sameJson } from "./same-json.ts";
import type { Expectation, ExpectedEffect } from "./suite.ts";

/** The expectations collected so far. */
export interface Expectations {
  /** Adds the expectations of an entry for one principal and resource; returns contradictions with earlier entries. */
  readonly add: (principal: string, resource: string, expectation: Expectation) => readonly Mistake[];
  /** Returns the expectations: effects by action, and outputs by action and source. */
  readonly get: (
    principal: string,
    resource: string,
  ) => {
    readonly effects: ReadonlyMap<string, ExpectedEffect>;
    readonly outputs: ReadonlyMap<string, ReadonlyMap<string, Value>>;
  };
}

/** An expected value, and the action or source that it is written for, with its position. */
interface PlacedValue<T> {
  readonly value: T;
  readonly key: Placed<string>;
}

interface PairExpectations {
  readonly effects: Map<string, PlacedValue<ExpectedEffect>>;
  readonly outputs: Map<string, Map<string, PlacedValue<Value>>>;
}

/** Opens an empty collection. */
export function openExpectations(): Expectations {
  const all = new Map<string, PairExpectations>();
  // JSON makes the key unambiguous.
  const pairOf = (principal: string, resource: string): string => JSON.stringify([principal, resource]);
  return {
    add: (principal, resource, expectation) => {
      const key = pairOf(principal, resource);
      const pair = all.get(key) ?? { effects: new Map(), outputs: new Map() };
      all.set(key, pair);
      return [...addEffects(pair, expectation), ...addOutputs(pair, expectation)].map(({ what, action, now, before }) =>
        conflictingExpectations(`different ${what} of \`${principal}\` doing \`${action}\` to \`${resource}\``, now, before),
      );
    },
    get: (principal, resource) => {
      const pair = all.get(pairOf(principal, resource));
      return {
        effects: valuesOf(pair?.effects ?? new Map()),
        outputs: new Map([...(pair?.outputs ?? [])].map(([action, sources]) => [action, valuesOf(sources)] as const)),
      };
    },
  };
}

const valuesOf = <T>(placed: ReadonlyMap<string, PlacedValue<T>>): ReadonlyMap<string, T> =>
  new Map([...placed].map(([name, { value }]) => [name, value] as const));

/** Two entries with different expectations. */
interface Conflict {
  readonly what: string;
  readonly action: string;
  readonly now: Placed<string>;
  readonly before: Placed<string>;
}

function addEffects({ effects }: PairExpectations, expectation: Expectation): readonly Conflict[] {
  return expectation.effects.flatMap(({ action, effect }) => {
    const before = effects.get(action.value);
    effects.set(action.value, { value: effect, key: action });
    if (before === undefined || before.value === effect) return [];
    return { what: "effects", action: action.value, now: action, before: before.key };
  });
}

function addOutputs({ outputs }: PairExpectations, expectation: Expectation): readonly Conflict[] {
  return [...lastOutputs(expectation)].flatMap(([action, expected]) => {
    const sources = outputs.get(action) ?? new Map<string, PlacedValue<Value>>();
    outputs.set(action, sources);
    return [...expected].flatMap(([source, placed]) => {
      const before = sources.get(source);
      sources.set(source, placed);
      if (before === undefined || sameJson(before.value, placed.value)) return [];
      return { what: `outputs of \`${source}\``, action, now: placed.key, before: before.key };
    });
  });
}

/** Within one entry, the last output for a source counts, as among actual outputs. */
function lastOutputs({ outputs }: Expectation): ReadonlyMap<string, ReadonlyMap<string, PlacedValue<Value>>> {
  const last = new Map<string, Map<string, PlacedValue<Value>>>();
  for (const { action, expected } of outputs) {
    const sources = last.get(action.value) ?? new Map<string, PlacedValue<Value>>();
    last.set(action.value, sources);
    for (const { src, val } of expected) sources.set(src.value, { value: val, key: src });
  }
  return last;
}
