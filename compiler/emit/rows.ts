/** Emits the rows of one policy as a function from an action and the matching patterns to an effect. */
import type { Condition } from "../../runtime/decide/condition.ts";
import { printLine } from "../source.ts";
import { printCondition } from "../table/print.ts";
import type { Row, ScopeTable, UnitTable } from "../table/table.ts";
import { type Code, type Name, block, comment, emptyLine, js, newName } from "./code.ts";
import { conditionHolds, expressionsOf, withSharedReads } from "./condition.ts";
import type { EmittedDerivedRoles } from "./derived-roles.ts";
import { type ActionMatch, type DispatchedRow, dispatch } from "./dispatch.ts";
import { emitOutputs, outputTrees } from "./outputs.ts";
import { openPatternBits } from "./pattern-bits.ts";
import { emitDefinitions } from "./definitions.ts";
import { mentions } from "./references.ts";
import { roleRowStatements } from "./role-row.ts";
import { type EmittedRow, type Statements, rowStatements } from "./row.ts";
import { type PolicyDefinitions, arrow, openFrame } from "./context.ts";
import type { UnitWriter } from "./unit-writer.ts";
import { rowName, rowPlace, rowComment } from "./comments.ts";

/** Emits conditions, outputs and rows; returns the function's name. */
export function emitRows(
  table: ScopeTable,
  type: UnitTable["type"],
  policy: number,
  derivedRoles: EmittedDerivedRoles,
  unit: UnitWriter,
): Name {
  const trees = table.rows.flatMap((row) => [
    ...Array.from(expressionsOf(row.condition), (leaf) => leaf.expression.tree),
    ...outputTrees(row),
  ]);
  const names = emitDefinitions(table, trees, "unset", unit, () => printLine(table.span));
  // If a variable can fail, its error counts as soon as a row is considered, even one without condition (semantics
  // 5.2). Under strict evaluation `runtime` can fail too.
  const canFail = !names.cannotFail || table.variables.some(({ expression }) => mentions(expression.tree, "runtime"));
  const considered = canFail ? [js`q.consider(${unit.ask({ kind: "policy", policy })});`] : [];

  const conditionOf = emitConditions(table, policy, names.definitions, unit);
  const bits = openPatternBits(type === "resource" ? "roles" : "kinds", table.patterns, table.scope);
  const statementsOf = type === "role" ? roleRowStatements : rowStatements;
  const emitted = table.rows.map((row): EmittedRow => {
    const condition = conditionOf(row);
    return { row, ...(condition && { condition }), outputs: emitOutputs(row, table.patterns, policy, names.definitions, unit) };
  });
  const shared = { table, derivedRoles, considered, bits };
  const rules = emitted.map((each): DispatchedRow => ({
    actions: each.row.actions,
    words: () => rowComment(each.row, table, type),
    at: each.row.span,
    counts: each.row.output !== undefined,
    statements: remembered((found, isLast) => statementsOf(each, found, isLast, shared)),
  }));
  const decide = newName(table.scope === "" ? "root" : table.scope);
  const body = dispatch(rules, unit.actions);
  unit.write(
    emptyLine,
    ...bits.declarations,
    block(js`const ${decide} = (q, action, ${bits.parameter}, first) => {`, [...opening(type), ...body], js`};`),
  );
  return decide;
}

/** Caches the statements of a row, which may be repeated under many actions. */
function remembered(emit: DispatchedRow["statements"]): DispatchedRow["statements"] {
  const known = { last: new Map<ActionMatch, Statements>(), other: new Map<ActionMatch, Statements>() };
  return (found, isLast) => {
    const emitted = isLast ? known.last : known.other;
    const statements = emitted.get(found) ?? emit(found, isLast);
    emitted.set(found, statements);
    return statements;
  };
}

const opening = (type: UnitTable["type"]): readonly Code[] =>
  type === "role"
    ? [comment(() => "deny by default: the role may do only what a row below allows"), js`let effect = rt.DENY;`]
    : [js`let effect = rt.NONE;`];

/**
 * The conditions of rows in order, each with the first row that has it; rows may share one
 * (`optimize/share-conditions.ts`).
 */
export function distinctConditions(rows: readonly Row[]): ReadonlyMap<Condition, Row> {
  const asked = new Map<Condition, Row>();
  for (const row of rows) if (row.condition !== undefined && !asked.has(row.condition)) asked.set(row.condition, row);
  return asked;
}

/** Emits the conditions of rows as functions; returns a function from a row to the code of its test. */
function emitConditions(
  table: ScopeTable,
  policy: number,
  definitions: PolicyDefinitions,
  unit: UnitWriter,
): (row: Row) => Code | undefined {
  const asked = new Map<Condition, Code>();
  for (const [condition, row] of distinctConditions(table.rows)) {
    const name = newName(rowName(row, table.patterns));
    const frame = openFrame();
    const holds = conditionHolds(condition, withSharedReads(condition, { ...unit.contextFor(definitions), frame }));
    const words = (): string => `${rowPlace(row)}: ${printCondition(condition)}`;
    unit.write(comment(words, row.span), js`const ${name} = ${arrow([js`q`], frame, holds)};`);
    asked.set(condition, js`q.holds(${unit.ask({ kind: "rule", policy, condition })}, ${name})`);
  }
  return ({ condition, unless }) => {
    const call = condition && asked.get(condition);
    return call !== undefined && unless === true ? js`!${call}` : call;
  };
}
