/**
 * Emits one row of a resource or principal policy: the cases in which it applies, in order, each with effect and
 * output.
 */
import type { Row, ScopeTable } from "../table/table.ts";
import { type Code, block, js, newName } from "./code.ts";
import type { EmittedDerivedRoles } from "./derived-roles.ts";
import type { Found } from "./dispatch.ts";
import { either, present, statement } from "./statement.ts";
import type { EmittedOutputs } from "./outputs.ts";
import type { PatternBits } from "./pattern-bits.ts";
import { type Times, product, timesCode } from "./times.ts";

/** A row, with its condition and outputs already emitted. */
export interface EmittedRow {
  readonly row: Row;
  /** Evaluates the row's condition, through the query. */
  readonly condition?: Code;
  readonly outputs: EmittedOutputs;
}

/** Shared by the rows of one policy. */
export interface Shared {
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
export function rowStatements(emitted: EmittedRow, found: Found, isLast: boolean, shared: Shared): Statements {
  const { row } = emitted;
  const ways = row.derivedRoles.length + (row.patterns.length > 0 ? 1 : 0);
  const entries = row.output === undefined || ways === 1 ? 1 : found.entries();
  if (entries === 1) return waysOfRow(emitted, found, isLast, shared);
  // Each entry of the action list is a row for each case, in this order: an error of a derived role ends the outputs
  // (semantics 5.3).
  const entry = newName("entry");
  const { code } = waysOfRow(emitted, { tests: [], entries: () => 1 }, false, shared);
  return { code: [block(js`for (let ${entry} = ${timesCode(entries)}; ${entry} > 0; ${entry}--) {`, code, js`}`)], decides: false };
}

function waysOfRow(emitted: EmittedRow, found: Found, isLast: boolean, shared: Shared): Statements {
  const { row } = emitted;
  const ways = [
    ...(row.patterns.length > 0 ? [ownWay(row, found, shared)] : []),
    ...row.derivedRoles.map((at) => derivedWay(at, found, shared)),
  ];
  const code: Code[] = [];
  for (const [turn, way] of ways.entries()) {
    code.push(...wayStatements(emitted, way, isLast && turn === ways.length - 1, shared));
    const always = way.tests.length === 0 && way.holds === undefined && emitted.condition === undefined;
    const answers = row.effect === "deny" || (row.effect === "allow" && isLast && turn === ways.length - 1);
    if (always && answers) return { code, decides: true };
  }
  return { code, decides: false };
}

/** One case in which a row applies: by its own roles or kinds, or by a derived role. */
interface Way {
  /** Whether the row is considered at all. */
  readonly tests: readonly Code[];
  /** Whether the derived role is active; if not, the row has no effect (D31). */
  readonly holds: Code | undefined;
  /** How many entries of action and role lead to this case. */
  readonly times: () => Times;
}

function ownWay(row: Row, { tests, entries }: Found, { bits }: Shared): Way {
  return {
    tests: [...present(bits.anyOf(row.patterns)), ...tests],
    holds: undefined,
    times: () => product(entries(), bits.countOf(row.patterns)),
  };
}

function derivedWay(at: number, { tests, entries }: Found, { bits, table, derivedRoles }: Shared): Way {
  const parents = table.derivedRoles[at]?.parents ?? [];
  return {
    tests: [...present(bits.anyOf(parents)), ...tests],
    holds: derivedRoles.holds(at),
    times: () => product(entries(), bits.countOf(parents)),
  };
}

function wayStatements(emitted: EmittedRow, way: Way, isLast: boolean, { considered }: Shared): readonly Code[] {
  const { condition } = emitted;
  // Evaluating a condition records the row already; behind a derived role it may not be evaluated.
  const mark = condition === undefined || way.holds !== undefined ? considered : [];
  const { tests, body } = answer(emitted, way, isLast);
  return mark.length === 0 ? statement([...way.tests, ...tests], body) : statement(way.tests, [...mark, ...statement(tests, body)]);
}

/** The tests of a considered row, and its effect and outputs. */
function answer({ row, condition, outputs }: EmittedRow, { holds, times }: Way, isLast: boolean): Guarded {
  // A denial produces its output once, because it returns.
  const met = [...outputs.met(() => (row.effect === "deny" ? 1 : times())), ...verdict(row, isLast)];
  const notMet = condition === undefined ? [] : outputs.notMet(times);
  const active = present(holds);
  // Even without effect the derived role is evaluated, because its errors are reported.
  if (met.length === 0) return { tests: [], body: active.map((asked) => js`${asked};`) };
  if (condition === undefined || notMet.length === 0) return { tests: [...active, ...present(condition)], body: met };
  // If the first branch always returns, the second needs no else.
  const answers = row.effect === "deny" || isLast;
  return { tests: active, body: answers ? [...statement([condition], met), ...notMet] : [either(condition, met, notMet)] };
}

function verdict({ effect }: Row, isLast: boolean): readonly Code[] {
  if (effect === "none") return [];
  if (effect === "deny") return [js`return rt.DENY;`];
  return [isLast ? js`return rt.ALLOW;` : js`effect = rt.ALLOW;`];
}
