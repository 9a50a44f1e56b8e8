/** Emits the derived roles of one policy: the condition of each, and the list of active ones. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { invariant } from "../../runtime/cel/error.ts";
import type { Condition } from "../../runtime/decide/condition.ts";
import { byUnits } from "../../runtime/order.ts";
import { patternsAt } from "../table/print.ts";
import type { DerivedRoleRow, ScopeTable } from "../table/table.ts";
import { type Code, type Name, block, comment, js, newName } from "./code.ts";
import { conditionHolds, expressionsOf, withSharedReads } from "./condition.ts";
import { joined } from "./logic.ts";
import { emitDefinitions } from "./definitions.ts";
import { mentions } from "./references.ts";
import { type PolicyDefinitions, arrow, openFrame } from "./context.ts";
import type { DerivedRoleFunctions, UnitWriter } from "./unit-writer.ts";
import { derivedRoleComment } from "./comments.ts";

/** What the rows of a policy need from its derived roles. */
export interface EmittedDerivedRoles {
  /** The function that lists the active roles. */
  readonly active: Code;
  /** Code for a derived role's condition while rules are matched; undefined if it has none. */
  readonly holds: (role: number) => Code | undefined;
}

/**
 * Emits conditions and list. A condition is emitted twice only if it may have different results while listing roles
 * and while matching rules (semantics 4.6).
 */
export function emitDerivedRoles(table: ScopeTable, policy: number, unit: UnitWriter): EmittedDerivedRoles {
  const emitted = table.derivedRoles.map((role, at) => emitDerivedRole(role, at, table, policy, unit));
  const sorted = table.derivedRoles
    .map((role, at) => ({ role, listed: emitted[at]?.listed }))
    .sort((left, right) => byUnits(left.role.name, right.role.name));
  const entries = sorted.map(({ role, listed }) => {
    return joined("&&", [...holdsParent(role, table), ...(listed === undefined ? [] : [listed]), js`${role.name}`]);
  });
  const active = newName("activeRoles");
  if (entries.length > 0)
    unit.write(
      block(
        js`const ${active} = (q, first) => rt.rolesAmong([`,
        entries.map((entry) => js`${entry},`),
        js`]);`,
      ),
    );
  return {
    active: entries.length > 0 ? js`${active}` : js`rt.noRoles`,
    holds(role) {
      const found = emitted[role];
      invariant(found !== undefined, "a row refers to derived roles of its own policy");
      return found.matched;
    },
  };
}

/** While roles are listed, parent roles are compared literally; patterns apply only while rules are matched. */
function holdsParent(role: DerivedRoleRow, table: ScopeTable): readonly Code[] {
  const names = patternsAt(role.parents, table.patterns);
  return names.includes("*") ? [] : [js`q.hasRole(${names})`];
}

function emitDerivedRole(
  role: DerivedRoleRow,
  at: number,
  table: ScopeTable,
  policy: number,
  unit: UnitWriter,
): { readonly listed: Code | undefined; readonly matched: Code | undefined } {
  const functions = functionsOf(role, table, unit);
  if (functions === undefined) return { listed: undefined, matched: undefined };
  const ask = (kind: "both" | "listed" | "matched", name: Name): Code => js`q.holds(${unit.ask({ kind, policy, role: at })}, ${name})`;
  if (functions.listed === undefined) {
    const both = ask("both", functions.matched);
    return { listed: both, matched: both };
  }
  return { listed: ask("listed", functions.listed), matched: ask("matched", functions.matched) };
}

/** The functions of a derived role's condition; shared by policies of the unit that import the same set. */
function functionsOf(role: DerivedRoleRow, table: ScopeTable, unit: UnitWriter): DerivedRoleFunctions | undefined {
  const { condition } = role;
  if (condition === undefined) {
    unit.write(comment(() => derivedRoleComment(role, table.patterns), role.span));
    return undefined;
  }
  const known = unit.derivedRoles.get(condition);
  if (known !== undefined) return known;
  unit.write(comment(() => derivedRoleComment(role, table.patterns), role.span));
  const functions = declareFunctions(role, condition, unit);
  // A variable that reads derived roles differs from scope to scope, but is cached by function, so its function must
  // not be shared.
  if (!role.variables.some(({ expression }) => mentions(expression.tree, "runtime"))) unit.derivedRoles.set(condition, functions);
  return functions;
}

function declareFunctions(role: DerivedRoleRow, condition: Condition, unit: UnitWriter): DerivedRoleFunctions {
  const declare = (name: Name, definitions: PolicyDefinitions): Name => {
    const frame = openFrame();
    const holds = conditionHolds(condition, withSharedReads(condition, { ...unit.contextFor(definitions), frame }));
    unit.write(js`const ${name} = ${arrow([js`q`], frame, holds)};`);
    return name;
  };
  const trees: readonly Expression[] = Array.from(expressionsOf(condition), (leaf) => leaf.expression.tree);
  const where = (): string => `derived role ${role.name}:`;
  const unset = emitDefinitions(role, trees, "unset", unit, where);
  const matched = declare(newName(role.name), unset.definitions);
  const all = [...trees, ...role.variables.map((variable) => variable.expression.tree)];
  if (unset.cannotFail && !all.some((tree) => mentions(tree, "runtime"))) return { matched };
  unit.write(comment(() => `the same condition while active roles are listed: a variable that fails is null, not an error`, role.span));
  const nulled = emitDefinitions(role, trees, "null", unit, where);
  return { matched, listed: declare(newName(`${role.name} listed`), nulled.definitions) };
}
