/**
 * Emits the dispatch from an action to its rows: the rows of each named action in source order, then the rows that
 * match by patterns only.
 */
import type { Span } from "../source.ts";
import { openGlob } from "../../runtime/decide/glob.ts";
import type { Match } from "../table/table.ts";
import type { ActionTests } from "./actions.ts";
import { mostCompared } from "../../runtime/decide/price.ts";
import { type Code, block, comment, digits, js, lines } from "./code.ts";
import type { Times } from "./times.ts";

/** How the dispatch reaches a row. */
export interface Found {
  /** Tests on the action that remain. */
  readonly tests: readonly Code[];
  /** How many entries of the row's list match. */
  readonly entries: () => Times;
}

/** A row, as the dispatch sees it. */
export interface Rule {
  readonly actions: readonly Match[];
  /** The comment above its statements. */
  readonly words: () => string;
  /** Its position in the source. */
  readonly at: Span;
  /** Whether the number of matching entries matters (for outputs). */
  readonly counts: boolean;
  /**
   * Emits the row. The last row of a branch may return directly; `decides` means that it always returns, so nothing
   * after it is reachable.
   */
  readonly statements: (found: Found, isLast: boolean) => { readonly code: readonly Code[]; readonly decides: boolean };
}

/** Emits the function body, which returns `effect` after all rows that an action leads to. */
export function dispatch(rules: readonly Rule[], tests: ActionTests): readonly Code[] {
  const ways = waysByAction(rules);
  let size = 0;
  for (const { found } of ways) size += found.length;
  // If patterns would be repeated under too many actions, test all rows in sequence, so that the text stays
  // proportional to the policy.
  if (size > rules.length * 4 + 200) {
    return emitWay(rules.map((rule) => [rule, stillToTest(rule.actions, tests)]));
  }
  // Cached objects, so that a row emitted for one is not emitted again.
  const named = numbered((entries): Found => ({ tests: [], entries: () => entries }));
  const rowsOf = ({ found }: Way): readonly Code[] => emitWay(found.map(({ rule, entries }) => [rule, named(entries)]));
  // JavaScript engines compare the cases of a switch one by one, so for many names use a lookup.
  const isLookedUp = ways.reduce((count, { actions }) => count + actions.length, 0) > mostCompared;
  const cases = ways.map((way, at) => {
    const { actions } = way;
    if (isLookedUp) return block(js`case ${digits(at)}: {`, [comment(() => `action ${actions.join(", ")}`), ...rowsOf(way)], js`}`);
    return lines(
      ...actions.slice(0, -1).map((action) => js`case ${action}:`),
      block(js`case ${actions.at(-1) ?? ""}: {`, rowsOf(way), js`}`),
    );
  });
  const rest = rules.flatMap((rule): readonly (readonly [Rule, Found])[] => {
    const patterns = rule.actions.filter((match) => match.kind !== "exact");
    return patterns.length === 0 ? [] : [[rule, stillToTest(patterns, tests)]];
  });
  const otherwise = emitWay(rest);
  if (cases.length === 0) return otherwise;
  const subject = isLookedUp ? tests.numberOf(ways.map(({ actions }) => actions)) : js`action`;
  return [block(js`switch (${subject}) {`, cases, js`}`), ...otherwise];
}

function stillToTest(matchesOfRow: readonly Match[], tests: ActionTests): Found {
  const test = tests.anyOf(matchesOfRow);
  return { tests: test === undefined ? [] : [test], entries: () => tests.countOf(matchesOfRow) };
}

function numbered<T>(make: (number: number) => T): (number: number) => T {
  const known: T[] = [];
  return (number) => (known[number] ??= make(number));
}

/** Actions that lead to the same rows, and how many entries of each row match. */
interface Way {
  readonly actions: string[];
  readonly found: readonly { readonly rule: Rule; readonly entries: number }[];
}

/** Groups the named actions by the rows they lead to, in source order. */
function waysByAction(rules: readonly Rule[]): readonly Way[] {
  const naming = new Map<string, number[]>();
  const patterns: number[] = [];
  const opened = new Map<Match, (action: string) => boolean>();
  const isFound = (match: Match, action: string): boolean => {
    if (match.kind !== "glob") return match.kind === "any" || match.value === action;
    const known = opened.get(match) ?? openGlob(match.pattern);
    opened.set(match, known);
    return known(action);
  };
  for (const [at, { actions }] of rules.entries()) {
    if (actions.some((match) => match.kind !== "exact")) patterns.push(at);
    for (const match of actions) {
      if (match.kind !== "exact") continue;
      const known = naming.get(match.value);
      if (known === undefined) naming.set(match.value, [at]);
      else if (known.at(-1) !== at) known.push(at);
    }
  }
  const ways = new Map<string, Way>();
  for (const [action, named] of naming) {
    const candidates = patterns.length === 0 ? named : [...new Set([...named, ...patterns])].sort((left, right) => left - right);
    const found: { readonly rule: Rule; readonly entries: number }[] = [];
    let key = "";
    for (const at of candidates) {
      const rule = rules[at];
      const entries = rule === undefined ? 0 : rule.actions.filter((match) => isFound(match, action)).length;
      if (rule === undefined || entries === 0) continue;
      found.push({ rule, entries });
      key += rule.counts ? `${at}x${entries},` : `${at},`;
    }
    const way = ways.get(key);
    if (way === undefined) ways.set(key, { actions: [action], found });
    else way.actions.push(action);
  }
  return [...ways.values()];
}

function emitWay(rows: readonly (readonly [Rule, Found])[]): readonly Code[] {
  const out: Code[] = [];
  for (const [at, [rule, found]] of rows.entries()) {
    const { code, decides } = rule.statements(found, at === rows.length - 1);
    out.push(comment(rule.words, rule.at), ...code);
    if (decides) return out;
  }
  return [...out, js`return effect;`];
}
