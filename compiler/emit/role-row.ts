/**
 * Emits one row of a role policy. If it matches and its condition is false, the role is denied, whatever other rows
 * say (D36).
 */
import { type Code, js } from "./code.ts";
import type { ActionMatch } from "./dispatch.ts";
import type { EmittedRow, PolicyParts, Statements } from "./row.ts";
import { present, statement } from "./statement.ts";

/** The statements of one row. */
export function roleRowStatements(
  { row, condition, outputs }: EmittedRow,
  { tests }: ActionMatch,
  isLast: boolean,
  { bits, considered }: PolicyParts,
): Statements {
  const may: Code = isLast ? js`return rt.NONE;` : js`effect = rt.NONE;`;
  const unless = condition === undefined ? [] : statement([js`!${condition}`], [...outputs.notMet(once), js`return rt.DENY;`]);
  // As in the reference implementation, a row without condition and output does not count as evaluated (semantics
  // 4.5).
  const mark = condition === undefined && row.output?.met !== undefined ? considered : [];
  const guards = [...present(bits.anyOf(row.patterns)), ...tests];
  return { code: statement(guards, [...unless, ...mark, ...outputs.met(once), may]), decides: isLast && guards.length === 0 };
}

/** A rule of a role policy is one row, however many entries of its list match. */
const once = (): number => 1;
