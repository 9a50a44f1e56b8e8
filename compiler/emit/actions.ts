/** Emits the test whether a row applies to an action, and the number of entries in the row's list that match. */
import type { Value } from "../../runtime/cel/value.ts";
import type { Match } from "../table/table.ts";
import { type Code, type Name, js, terms } from "./code.ts";
import type { Factory } from "./context.ts";
import { type MatchCount, sum } from "./match-count.ts";

/** The tests of actions in rows. */
export interface ActionTests {
  /** Code that is true if the action matches one of these; undefined if it always does. */
  readonly anyOf: (matches: readonly Match[]) => Code | undefined;
  /** How many of these match, given that one does. */
  readonly countOf: (matches: readonly Match[]) => MatchCount;
  /** Code for the index of the list that contains the action; the lists are disjoint. */
  readonly numberOf: (names: readonly (readonly string[])[]) => Code;
}

/** Creates the tests of one unit; each pattern is compiled once, however many rows have it. */
export function openActionTests(factory: Factory): ActionTests {
  const sets = new Map<string, Name>();
  const globs = new Map<string, Name>();
  const once = (known: Map<string, Name>, key: string, make: () => Name): Name => {
    const name = known.get(key) ?? make();
    known.set(key, name);
    return name;
  };
  /** Exact names are alternatives: an action equals at most one. */
  const exactTests = (matches: readonly Match[]): readonly Code[] => {
    const names = matches.flatMap((match) => (match.kind === "exact" ? [match.value] : []));
    if (names.length <= many) return names.map((name) => js`action === ${name}`);
    return [js`${once(sets, JSON.stringify(names), () => factory.hoist("actions", js`new Set(${names})`))}.has(action)`];
  };
  const globTests = (matches: readonly Match[]): readonly Code[] =>
    matches.flatMap((match) => {
      if (match.kind !== "glob") return [];
      const { pattern } = match;
      return [js`${once(globs, pattern, () => factory.hoist(`action ${pattern}`, js`rt.glob(${pattern})`))}(action)`];
    });
  return {
    anyOf(matches) {
      if (matches.some((match) => match.kind === "any")) return undefined;
      const tests = [...exactTests(matches), ...globTests(matches)];
      return tests.length === 0 ? js`false` : terms("||", tests);
    },
    countOf(matches) {
      if (matches.length === 1) return 1;
      const exact = exactTests(matches);
      const counted = [...(exact.length === 0 ? [] : [terms("||", exact)]), ...globTests(matches)].map((test) => js`(${test} ? 1 : 0)`);
      return sum([...matches.flatMap((match) => (match.kind === "any" ? [1] : [])), ...counted]);
    },
    numberOf(names) {
      const numbers = names.flatMap((list, at) => list.map((name): Value => [name, at]));
      return js`${factory.hoist("number of action", js`new Map(${numbers})`)}.get(action)`;
    },
  };
}

/** More names than this are tested with a Set. */
const many = 6;
