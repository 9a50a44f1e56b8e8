/** Serialises everything that a unit's program and trees are made of: units with equal content have equal programs. */
import type { CompiledExpression, Condition } from "../../runtime/decide/condition.ts";
import type { Definitions } from "../link/policy-set.ts";
import type { DerivedRoleRow, Row, ScopeTable, UnitTable } from "../table/table.ts";
import { writeConstant } from "./constant.ts";

/**
 * What is done with each field: `as it is`: serialised unchanged; `by code`: serialised by code below; `left out`: not part
 * of any program, such as names and positions for readers, and manifest data. The types force a decision for every
 * new field, so that two units that differ in it are not taken for equal.
 */
type FieldTreatments<T> = { readonly [field in keyof T]-?: "as it is" | "by code" | "left out" };

const ofUnit: FieldTreatments<UnitTable> = {
  id: "left out",
  type: "as it is",
  name: "left out",
  writtenName: "left out",
  version: "left out",
  scopes: "by code",
};

const ofScope: FieldTreatments<ScopeTable> = {
  scope: "by code",
  key: "left out",
  span: "left out",
  patterns: "as it is",
  derivedRoles: "by code",
  rows: "by code",
  parentRoles: "left out",
  schemas: "left out",
  sourceAttributes: "left out",
  allowsNeedConsent: "left out",
  variables: "by code",
  constants: "by code",
};

const ofDerivedRole: FieldTreatments<DerivedRoleRow> = {
  name: "as it is",
  origin: "left out",
  parents: "as it is",
  condition: "by code",
  span: "left out",
  variables: "by code",
  constants: "by code",
};

const ofRow: FieldTreatments<Row> = {
  rule: "left out",
  src: "by code",
  actions: "as it is",
  patterns: "as it is",
  derivedRoles: "as it is",
  effect: "as it is",
  condition: "by code",
  unless: "as it is",
  output: "by code",
  span: "left out",
};

/** Returns a function that serialises the fields marked `as it is`. */
function fieldSerialiser<T>(treatments: FieldTreatments<T>): (of: T) => readonly unknown[] {
  const fields: (keyof T)[] = [];
  for (const field in treatments) if (treatments[field] === "as it is") fields.push(field);
  return (of) => fields.map((field) => of[field]);
}

const serialiseUnit = fieldSerialiser(ofUnit);
const serialiseScope = fieldSerialiser(ofScope);
const serialiseDerivedRole = fieldSerialiser(ofDerivedRole);
const serialiseRow = fieldSerialiser(ofRow);

/** Serialises the contents of units and of single policies. */
export interface ContentSerialiser {
  readonly ofUnit: (unit: UnitTable) => string;
  /** The same for one policy, without its scope. */
  readonly ofPolicy: (policy: ScopeTable) => string;
}

/**
 * Creates the serialiser. An expression is represented by a number: the same one for the same words, whether they were
 * compiled to one object or to several.
 */
export function openContentSerialiser(): ContentSerialiser {
  const expressions = new Map<CompiledExpression, number>();
  const identities = new Map<string, number>();
  const numberOf = (expression: CompiledExpression): number => {
    const known = expressions.get(expression);
    if (known !== undefined) return known;
    const identity = identityOf(expression);
    const number = identities.get(identity) ?? identities.size;
    identities.set(identity, number);
    expressions.set(expression, number);
    return number;
  };
  const optional = (expression: CompiledExpression | undefined): unknown => (expression === undefined ? null : numberOf(expression));
  const partsOf = (condition: Condition): unknown =>
    condition.kind === "expression" ? numberOf(condition.expression) : [condition.kind, ...condition.of.map(partsOf)];
  const namesOf = ({ variables, constants }: Definitions): unknown => [
    variables.map(({ name, expression }) => [name, numberOf(expression)]),
    constants.map(({ name, value }) => [name, writeConstant(value)]),
  ];
  // The source `src` matters only with an output.
  const outputOf = ({ src, output }: Row): unknown => (output === undefined ? null : [src, optional(output.met), optional(output.notMet)]);

  /** Conditions are compared by identity, because a condition shared by several rows is evaluated once. */
  const openPolicies = (): ((policy: ScopeTable) => unknown) => {
    const conditions = new Map<Condition, number>();
    const conditionOf = (condition: Condition | undefined): unknown => {
      if (condition === undefined) return null;
      const known = conditions.get(condition);
      if (known !== undefined) return known;
      conditions.set(condition, conditions.size);
      return [partsOf(condition)];
    };
    return (policy) => [
      serialiseScope(policy),
      namesOf(policy),
      policy.derivedRoles.map((role) => [serialiseDerivedRole(role), namesOf(role), conditionOf(role.condition)]),
      policy.rows.map((row) => [serialiseRow(row), conditionOf(row.condition), outputOf(row)]),
    ];
  };

  return {
    ofUnit(unit) {
      const policyOf = openPolicies();
      return JSON.stringify([serialiseUnit(unit), unit.scopes.map((policy) => [policy.scope, policyOf(policy)])]);
    },
    ofPolicy: (policy) => JSON.stringify(openPolicies()(policy)),
  };
}

/**
 * Returns what determines an expression: its source text, and its value if it was evaluated at compile time. Source text is
 * enough otherwise, because all expressions are compiled in the same environment, and the definitions that they can refer
 * to are part of the content.
 */
const identityOf = ({ text, tree }: CompiledExpression): string =>
  tree.kind === "literal" ? `${JSON.stringify(writeConstant(tree.value))} ${text}` : ` ${text}`;
