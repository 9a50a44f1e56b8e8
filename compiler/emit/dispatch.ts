/**
 * Emits the dispatch from an action to its rows: the rows of each named action in source order, then the rows that
 * match by patterns only.
 */
import type { Span } from "../source.ts";
import { openGlob } from "../../runtime/decide/glob.ts";
import type { Match } from "../table/table.ts";
import type { ActionTests } from "./actions.ts";
import { maxCompared } from "../../runtime/decide/price.ts";
import { type Code, block, comment, digits, js, lines } from "./code.ts";
import type { MatchCount } from "./match-count.ts";

/** How the dispatch reaches a row. */
export interface ActionMatch {
  /** Tests on the action that remain. */
  readonly tests: readonly Code[];
  /** How many entries of the row's list match. */
  readonly entries: () => MatchCount;
}

/** A row, as the dispatch sees it. */
export interface DispatchedRow {
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
  readonly statements: (found: ActionMatch, isLast: boolean) => { readonly code: readonly Code[]; readonly decides: boolean };
}

/** Emits the function body, which returns `effect` after all rows that an action leads to. */
export function dispatch(rules: readonly DispatchedRow[], tests: ActionTests): readonly Code[] {
  const branches = branchesByAction(rules);
  let size = 0;
  for (const { found } of branches) size += found.length;
  // If patterns would be repeated under too many actions, test all rows in sequence, so that the text stays
  // proportional to the policy.
  if (size > rules.length * 4 + 200) {
    return emitBranch(rules.map((rule) => [rule, testedAtRunTime(rule.actions, tests)]));
  }
  // Cached objects, so that a row emitted for one is not emitted again.
  const named = numbered((entries): ActionMatch => ({ tests: [], entries: () => entries }));
  const rowsOf = ({ found }: Branch): readonly Code[] => emitBranch(found.map(({ rule, entries }) => [rule, named(entries)]));
  // JavaScript engines compare the cases of a switch one by one, so for many names use a lookup.
  const isLookedUp = branches.reduce((count, { actions }) => count + actions.length, 0) > maxCompared;
  const cases = branches.map((branch, at) => {
    const { actions } = branch;
    if (isLookedUp) return block(js`case ${digits(at)}: {`, [comment(() => `action ${actions.join(", ")}`), ...rowsOf(branch)], js`}`);
    return lines(
      ...actions.slice(0, -1).map((action) => js`case ${action}:`),
      block(js`case ${actions.at(-1) ?? ""}: {`, rowsOf(branch), js`}`),
    );
  });
  const rest = rules.flatMap((rule): readonly (readonly [DispatchedRow, ActionMatch])[] => {
    const patterns = rule.actions.filter((match) => match.kind !== "exact");
    return patterns.length === 0 ? [] : [[rule, testedAtRunTime(patterns, tests)]];
  });
  const otherwise = emitBranch(rest);
  if (cases.length === 0) return otherwise;
  const subject = isLookedUp ? tests.numberOf(branches.map(({ actions }) => actions)) : js`action`;
  return [block(js`switch (${subject}) {`, cases, js`}`), ...otherwise];
}

function testedAtRunTime(matchesOfRow: readonly Match[], tests: ActionTests): ActionMatch {
  const test = tests.anyOf(matchesOfRow);
  return { tests: test === undefined ? [] : [test], entries: () => tests.countOf(matchesOfRow) };
}

function numbered<T>(make: (number: number) => T): (number: number) => T {
  const known: T[] = [];
  return (number) => (known[number] ??= make(number));
}

/** Actions that lead to the same rows, and how many entries of each row match. */
interface Branch {
  readonly actions: string[];
  readonly found: readonly { readonly rule: DispatchedRow; readonly entries: number }[];
}

/** Groups the named actions by the rows they lead to, in source order. */
function branchesByAction(rules: readonly DispatchedRow[]): readonly Branch[] {
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
  const branches = new Map<string, Branch>();
  for (const [action, named] of naming) {
    const candidates = patterns.length === 0 ? named : [...new Set([...named, ...patterns])].sort((left, right) => left - right);
    const found: { readonly rule: DispatchedRow; readonly entries: number }[] = [];
    let key = "";
    for (const at of candidates) {
      const rule = rules[at];
      const entries = rule === undefined ? 0 : rule.actions.filter((match) => isFound(match, action)).length;
      if (rule === undefined || entries === 0) continue;
      found.push({ rule, entries });
      key += rule.counts ? `${at}x${entries},` : `${at},`;
    }
    const branch = branches.get(key);
    if (branch === undefined) branches.set(key, { actions: [action], found });
    else branch.actions.push(action);
  }
  return [...branches.values()];
}

function emitBranch(rows: readonly (readonly [DispatchedRow, ActionMatch])[]): readonly Code[] {
  const out: Code[] = [];
  for (const [at, [rule, found]] of rows.entries()) {
    const { code, decides } = rule.statements(found, at === rows.length - 1);
    out.push(comment(rule.words, rule.at), ...code);
    if (decides) return out;
  }
  return [...out, js`return effect;`];
}
