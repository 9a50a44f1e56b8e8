/** Collects the expectations of a table's entries for each principal and resource, and finds contradictions between them. */
import type { Mistake, Placed } from "../../compiler/yaml/shape.ts";
import type { Value } from "../../runtime/cel/value.ts";
import { contradiction } from "./mistakes.ts";
import { sameJson } from "./same-json.ts";
import type { Expectation, ExpectedEffect } from "./suite.ts";

/** The expectations collected so far. */
export interface Wanted {
  /** Adds the expectations of an entry for one principal and resource; returns contradictions with earlier entries. */
  readonly expect: (principal: string, resource: string, expectation: Expectation) => readonly Mistake[];
  /** Returns the expectations: effects by action, and outputs by action and source. */
  readonly of: (
    principal: string,
    resource: string,
  ) => {
    readonly effects: ReadonlyMap<string, ExpectedEffect>;
    readonly outputs: ReadonlyMap<string, ReadonlyMap<string, Value>>;
  };
}

/** An expected value, with the position that it comes from. */
interface Said<T> {
  readonly value: T;
  readonly by: Placed<string>;
}

interface Pair {
  readonly effects: Map<string, Said<ExpectedEffect>>;
  readonly outputs: Map<string, Map<string, Said<Value>>>;
}

/** Opens an empty collection. */
export function openWanted(): Wanted {
  const all = new Map<string, Pair>();
  // JSON makes the key unambiguous.
  const pairOf = (principal: string, resource: string): string => JSON.stringify([principal, resource]);
  return {
    expect: (principal, resource, expectation) => {
      const key = pairOf(principal, resource);
      const pair = all.get(key) ?? { effects: new Map(), outputs: new Map() };
      all.set(key, pair);
      return [...expectEffects(pair, expectation), ...expectOutputs(pair, expectation)].map(({ what, action, now, before }) =>
        contradiction(`different ${what} of \`${principal}\` doing \`${action}\` to \`${resource}\``, now, before),
      );
    },
    of: (principal, resource) => {
      const pair = all.get(pairOf(principal, resource));
      return {
        effects: plain(pair?.effects ?? new Map()),
        outputs: new Map([...(pair?.outputs ?? [])].map(([action, sources]) => [action, plain(sources)] as const)),
      };
    },
  };
}

const plain = <T>(said: ReadonlyMap<string, Said<T>>): ReadonlyMap<string, T> =>
  new Map([...said].map(([name, { value }]) => [name, value] as const));

/** Two entries with different expectations. */
interface Crossing {
  readonly what: string;
  readonly action: string;
  readonly now: Placed<string>;
  readonly before: Placed<string>;
}

function expectEffects({ effects }: Pair, expectation: Expectation): readonly Crossing[] {
  return expectation.effects.flatMap(({ action, effect }) => {
    const before = effects.get(action.value);
    effects.set(action.value, { value: effect, by: action });
    if (before === undefined || before.value === effect) return [];
    return { what: "effects", action: action.value, now: action, before: before.by };
  });
}

function expectOutputs({ outputs }: Pair, expectation: Expectation): readonly Crossing[] {
  return [...lastOutputs(expectation)].flatMap(([action, expected]) => {
    const sources = outputs.get(action) ?? new Map<string, Said<Value>>();
    outputs.set(action, sources);
    return [...expected].flatMap(([source, said]) => {
      const before = sources.get(source);
      sources.set(source, said);
      if (before === undefined || sameJson(before.value, said.value)) return [];
      return { what: `outputs of \`${source}\``, action, now: said.by, before: before.by };
    });
  });
}

/** Within one entry, the last output for a source counts, as among actual outputs. */
function lastOutputs({ outputs }: Expectation): ReadonlyMap<string, ReadonlyMap<string, Said<Value>>> {
  const last = new Map<string, Map<string, Said<Value>>>();
  for (const { action, expected } of outputs) {
    const sources = last.get(action.value) ?? new Map<string, Said<Value>>();
    last.set(action.value, sources);
    for (const { src, val } of expected) sources.set(src.value, { value: val, by: src });
  }
  return last;
}
