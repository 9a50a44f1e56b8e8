/**
 * Emits one row of a resource or principal policy: the cases in which it applies, in order, each with effect and
 * output.
 */
import type { Row, ScopeTable } from "../table/table.ts";
import { type Code, block, js, newName } from "./code.ts";
import type { EmittedDerivedRoles } from "./derived-roles.ts";
import type { ActionMatch } from "./dispatch.ts";
import { ifElse, present, statement } from "./statement.ts";
import type { EmittedOutputs } from "./outputs.ts";
import type { PatternBits } from "./pattern-bits.ts";
import { type MatchCount, product, matchCountCode } from "./match-count.ts";

/** A row, with its condition and outputs already emitted. */
export interface EmittedRow {
  readonly row: Row;
  /** Evaluates the row's condition, through the query. */
  readonly condition?: Code;
  readonly outputs: EmittedOutputs;
}

/** What the rows of one policy share. */
export interface PolicyParts {
  readonly table: ScopeTable;
  readonly derivedRoles: EmittedDerivedRoles;
  /** Records that a row without condition was considered, where that matters. */
  readonly considered: readonly Code[];
  readonly bits: PatternBits;
}

/** Statements, and the tests that guard them. */
interface Guarded {
  readonly tests: readonly Code[];
  readonly body: readonly Code[];
}

/** Statements; `decides` if they always return. */
export interface Statements {
  readonly code: readonly Code[];
  readonly decides: boolean;
}

/**
 * The statements of one row. ALLOW continues, because a later DENY wins and later conditions count as evaluated. A
 * row with derived roles is one case for its own roles, then one for each derived role.
 */
export function rowStatements(emitted: EmittedRow, actionMatch: ActionMatch, isLast: boolean, shared: PolicyParts): Statements {
  const { row } = emitted;
  const cases = row.derivedRoles.length + (row.patterns.length > 0 ? 1 : 0);
  const entries = row.output === undefined || cases === 1 ? 1 : actionMatch.entries();
  if (entries === 1) return casesOfRow(emitted, actionMatch, isLast, shared);
  // Each entry of the action list is a row for each case, in this order: an error of a derived role ends the outputs
  // (semantics 5.3).
  const entry = newName("entry");
  const { code } = casesOfRow(emitted, { tests: [], entries: () => 1 }, false, shared);
  return { code: [block(js`for (let ${entry} = ${matchCountCode(entries)}; ${entry} > 0; ${entry}--) {`, code, js`}`)], decides: false };
}

function casesOfRow(emitted: EmittedRow, actionMatch: ActionMatch, isLast: boolean, shared: PolicyParts): Statements {
  const { row } = emitted;
  const cases = [
    ...(row.patterns.length > 0 ? [ownCase(row, actionMatch, shared)] : []),
    ...row.derivedRoles.map((at) => derivedRoleCase(at, actionMatch, shared)),
  ];
  const code: Code[] = [];
  for (const [position, each] of cases.entries()) {
    code.push(...caseStatements(emitted, each, isLast && position === cases.length - 1, shared));
    const always = each.tests.length === 0 && each.holds === undefined && emitted.condition === undefined;
    const answers = row.effect === "deny" || (row.effect === "allow" && isLast && position === cases.length - 1);
    if (always && answers) return { code, decides: true };
  }
  return { code, decides: false };
}

/** One case in which a row applies: by its own roles or kinds, or by a derived role. */
interface RowCase {
  /** Whether the row is considered at all. */
  readonly tests: readonly Code[];
  /** Whether the derived role is active; if not, the row has no effect (D31). */
  readonly holds: Code | undefined;
  /** How many entries of action and role lead to this case. */
  readonly times: () => MatchCount;
}

function ownCase(row: Row, { tests, entries }: ActionMatch, { bits }: PolicyParts): RowCase {
  return {
    tests: [...present(bits.anyOf(row.patterns)), ...tests],
    holds: undefined,
    times: () => product(entries(), bits.countOf(row.patterns)),
  };
}

function derivedRoleCase(at: number, { tests, entries }: ActionMatch, { bits, table, derivedRoles }: PolicyParts): RowCase {
  const parents = table.derivedRoles[at]?.parents ?? [];
  return {
    tests: [...present(bits.anyOf(parents)), ...tests],
    holds: derivedRoles.holds(at),
    times: () => product(entries(), bits.countOf(parents)),
  };
}

function caseStatements(emitted: EmittedRow, each: RowCase, isLast: boolean, { considered }: PolicyParts): readonly Code[] {
  const { condition } = emitted;
  // Evaluating a condition records the row already; behind a derived role it may not be evaluated.
  const mark = condition === undefined || each.holds !== undefined ? considered : [];
  const { tests, body } = answer(emitted, each, isLast);
  return mark.length === 0 ? statement([...each.tests, ...tests], body) : statement(each.tests, [...mark, ...statement(tests, body)]);
}

/** The tests of a considered row, and its effect and outputs. */
function answer({ row, condition, outputs }: EmittedRow, { holds, times }: RowCase, isLast: boolean): Guarded {
  // A denial produces its output once, because it returns.
  const met = [...outputs.met(() => (row.effect === "deny" ? 1 : times())), ...effectStatements(row, isLast)];
  const notMet = condition === undefined ? [] : outputs.notMet(times);
  const active = present(holds);
  // Even without effect the derived role is evaluated, because its errors are reported.
  if (met.length === 0) return { tests: [], body: active.map((asked) => js`${asked};`) };
  if (condition === undefined || notMet.length === 0) return { tests: [...active, ...present(condition)], body: met };
  // If the first branch always returns, the second needs no else.
  const answers = row.effect === "deny" || isLast;
  return { tests: active, body: answers ? [...statement([condition], met), ...notMet] : [ifElse(condition, met, notMet)] };
}

function effectStatements({ effect }: Row, isLast: boolean): readonly Code[] {
  if (effect === "none") return [];
  if (effect === "deny") return [js`return rt.DENY;`];
  return [isLast ? js`return rt.ALLOW;` : js`effect = rt.ALLOW;`];
}
