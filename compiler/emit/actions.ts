/** Emits the test whether a row applies to an action, and the count of the entries of its list that match. */
import type { Value } from "../../runtime/cel/value.ts";
import type { Match } from "../table/table.ts";
import { type Code, type Name, js, terms } from "./code.ts";
import type { Factory } from "./scope.ts";
import { type Times, sum } from "./times.ts";

/** What rows ask of the action that is asked for. */
export interface ActionTests {
  /** Code that is true when the action is one of these; undefined when every one is. */
  readonly anyOf: (matches: readonly Match[]) => Code | undefined;
  /** How many of these match where one does. */
  readonly countOf: (matches: readonly Match[]) => Times;
  /** Code that is the index of the list that names the action; no two lists name the same. */
  readonly numberOf: (names: readonly (readonly string[])[]) => Code;
}

/** Opens the tests of one unit: a pattern is read once, however many rows have it. */
export function openActionTests(factory: Factory): ActionTests {
  const sets = new Map<string, Name>();
  const globs = new Map<string, Name>();
  const once = (known: Map<string, Name>, key: string, make: () => Name): Name => {
    const name = known.get(key) ?? make();
    known.set(key, name);
    return name;
  };
  /** Names are compared at once: an action is one of them or none. */
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

/** Beyond so many names a set is asked. */
const many = 6;
