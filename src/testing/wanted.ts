/** What the entries of a table expect of each principal with each resource, and where two of them contradict each other. */
import type { Mistake, Placed } from "../../compiler/yaml/shape.ts";
import type { Value } from "../../runtime/cel/value.ts";
import { contradiction } from "./mistakes.ts";
import { sameJson } from "./same-json.ts";
import type { Expectation, ExpectedEffect } from "./suite.ts";

/** What is expected so far. */
export interface Wanted {
  /** Adds what an entry expects of one principal and one resource; returns what contradicts an entry before. */
  readonly expect: (principal: string, resource: string, expectation: Expectation) => readonly Mistake[];
  /** Returns what is expected of them: the effect of each action, and action -> source -> value. */
  readonly of: (
    principal: string,
    resource: string,
  ) => {
    readonly effects: ReadonlyMap<string, ExpectedEffect>;
    readonly outputs: ReadonlyMap<string, ReadonlyMap<string, Value>>;
  };
}

/** A word of the author on an action or a source, and where it stands. */
interface Said<T> {
  readonly value: T;
  readonly by: Placed<string>;
}

interface Pair {
  readonly effects: Map<string, Said<ExpectedEffect>>;
  readonly outputs: Map<string, Map<string, Said<Value>>>;
}

/** Nothing is expected yet. */
export function openWanted(): Wanted {
  const all = new Map<string, Pair>();
  // Unique: JSON says where one name ends.
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

/** Two entries that do not expect the same. */
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

/** Within one entry the last word on a source counts, as among the outputs that are given. */
function lastOutputs({ outputs }: Expectation): ReadonlyMap<string, ReadonlyMap<string, Said<Value>>> {
  const last = new Map<string, Map<string, Said<Value>>>();
  for (const { action, expected } of outputs) {
    const sources = last.get(action.value) ?? new Map<string, Said<Value>>();
    last.set(action.value, sources);
    for (const { src, val } of expected) sources.set(src.value, { value: val, by: src });
  }
  return last;
}
