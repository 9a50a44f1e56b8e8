/** Everything that a unit's program and trees are made of, as text: units of the same content have the same program. */
import type { CompiledExpression, Condition } from "../../runtime/decide/condition.ts";
import type { Row, UnitTable } from "../table/table.ts";
import { writeCondition, writeExpression, writeNames } from "./trees.ts";

/**
 * Writes the content. What is left out is in no program: the names and places by which people know policies and rules. What
 * the emitter comes to read besides must be added here.
 */
export function contentOf(unit: UnitTable): string {
  // One condition of several rows is asked once, so it matters that it is one.
  const numbers = new Map<Condition, number>();
  const condition = (of: Condition | undefined): unknown => {
    if (of === undefined) return null;
    const known = numbers.get(of);
    if (known !== undefined) return known;
    numbers.set(of, numbers.size);
    return writeCondition(of);
  };
  return JSON.stringify([
    unit.type,
    ...unit.scopes.map((scope) => [
      scope.scope,
      scope.patterns,
      writeNames(scope),
      scope.derivedRoles.map((role) => [role.name, role.parents, writeNames(role), condition(role.condition)]),
      scope.rows.map((row) => [row.actions, row.patterns, row.derivedRoles, row.effect, condition(row.condition), ...outputOf(row)]),
    ]),
  ]);
}

const outputOf = ({ src, output }: Row): readonly unknown[] =>
  output === undefined ? [] : [src, expression(output.met), expression(output.notMet)];

const expression = (of: CompiledExpression | undefined): unknown => (of === undefined ? null : writeExpression(of));
