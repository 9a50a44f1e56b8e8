/** Serialises everything that a unit's program and trees are made of: units with equal content have equal programs. */
import type { CompiledExpression, Condition } from "../../runtime/decide/condition.ts";
import type { Definitions } from "../link/policy-set.ts";
import type { DerivedRoleRow, Row, ScopeTable, UnitTable } from "../table/table.ts";
import { writeConstant } from "./constant.ts";

/**
 * What is done with each field: `said`: serialised as it is; `told`: serialised by code below; `left out`: not part
 * of any program, such as names and positions for readers, and manifest data. The types force a decision for every
 * new field, so that two units that differ in it are not taken for equal.
 */
type Fates<T> = { readonly [field in keyof T]-?: "said" | "told" | "left out" };

const ofUnit: Fates<UnitTable> = {
  id: "left out",
  type: "said",
  name: "left out",
  writtenName: "left out",
  version: "left out",
  scopes: "told",
};

const ofScope: Fates<ScopeTable> = {
  scope: "told",
  key: "left out",
  span: "left out",
  patterns: "said",
  derivedRoles: "told",
  rows: "told",
  parentRoles: "left out",
  schemas: "left out",
  sourceAttributes: "left out",
  allowsNeedConsent: "left out",
  variables: "told",
  constants: "told",
};

const ofDerivedRole: Fates<DerivedRoleRow> = {
  name: "said",
  origin: "left out",
  parents: "said",
  condition: "told",
  span: "left out",
  variables: "told",
  constants: "told",
};

const ofRow: Fates<Row> = {
  rule: "left out",
  src: "told",
  actions: "said",
  patterns: "said",
  derivedRoles: "said",
  effect: "said",
  condition: "told",
  unless: "said",
  output: "told",
  span: "left out",
};

/** Returns a function that serialises the fields marked `said`. */
function serialiserOf<T>(fates: Fates<T>): (of: T) => readonly unknown[] {
  const said: (keyof T)[] = [];
  for (const field in fates) if (fates[field] === "said") said.push(field);
  return (of) => said.map((field) => of[field]);
}

const sayUnit = serialiserOf(ofUnit);
const sayScope = serialiserOf(ofScope);
const sayDerivedRole = serialiserOf(ofDerivedRole);
const sayRow = serialiserOf(ofRow);

/** Serialises the contents of units and of single policies. */
export interface Contents {
  readonly ofUnit: (unit: UnitTable) => string;
  /** The same for one policy, without its scope. */
  readonly ofPolicy: (policy: ScopeTable) => string;
}

/**
 * Creates the serialiser. An expression is represented by a number: the same one for the same words, whether they were
 * compiled to one object or to several.
 */
export function openContents(): Contents {
  const expressions = new Map<CompiledExpression, number>();
  const words = new Map<string, number>();
  const numberOf = (expression: CompiledExpression): number => {
    const known = expressions.get(expression);
    if (known !== undefined) return known;
    const said = wordsOf(expression);
    const number = words.get(said) ?? words.size;
    words.set(said, number);
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
      sayScope(policy),
      namesOf(policy),
      policy.derivedRoles.map((role) => [sayDerivedRole(role), namesOf(role), conditionOf(role.condition)]),
      policy.rows.map((row) => [sayRow(row), conditionOf(row.condition), outputOf(row)]),
    ];
  };

  return {
    ofUnit(unit) {
      const policyOf = openPolicies();
      return JSON.stringify([sayUnit(unit), unit.scopes.map((policy) => [policy.scope, policyOf(policy)])]);
    },
    ofPolicy: (policy) => JSON.stringify(openPolicies()(policy)),
  };
}

/**
 * Returns what determines an expression: its source text, and its value if it was evaluated at compile time. Source text is
 * enough otherwise, because all expressions are compiled in the same environment, and the definitions that they can refer
 * to are part of the content.
 */
const wordsOf = ({ text, tree }: CompiledExpression): string =>
  tree.kind === "literal" ? `${JSON.stringify(writeConstant(tree.value))} ${text}` : ` ${text}`;
