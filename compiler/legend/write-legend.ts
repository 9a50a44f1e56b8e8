/** Writes the legend of a bundle from its units and their documents. */
import { invariant } from "../../runtime/cel/error.ts";
import { byUnits } from "../../runtime/order.ts";
import type {
  ConditionNode,
  ExpressionNode,
  OutputNode,
  PolicyDocument,
  PrincipalActionNode,
  ResourcePolicyDocument,
  RoleRuleNode,
  RuleNode,
} from "../policy/document.ts";
import { sourceOffset } from "../policy/expression.ts";
import { documentKey, nameOf, setKey } from "../policy/names.ts";
import { positionAt, type Span } from "../source.ts";
import { printCondition } from "../table/print.ts";
import type { DerivedRoleRow, Row, ScopeTable, UnitTable } from "../table/table.ts";
import type { DerivedRoleLegend, Legend, Place, PolicyLegend, RuleLegend, Words } from "./legend.ts";

/** A policy that can use variables and constants. */
type Owner = Pick<ResourcePolicyDocument, "variables" | "constants">;
/** The node that a row was made from. */
type Node = RuleNode | PrincipalActionNode | RoleRuleNode;
type Documents = ReadonlyMap<string, PolicyDocument>;
type PlaceOf = (span: Pick<Span, "source" | "start">) => Place;

/** Writes the legend of units. `documents` must include theirs. */
export function writeLegend(units: readonly UnitTable[], documents: readonly PolicyDocument[]): Legend {
  const byKey: Documents = new Map(
    documents
      .filter(({ isDisabled }) => !isDisabled)
      .map((each) => [idOf(documentKey(each), { type: each.kind, writtenName: nameOf(each).value }), each]),
  );
  // Sources are numbered when all are known, so that the order in which they are found does not matter.
  const met = new Set<string>();
  const write = (placeOf: PlaceOf): Legend["units"] =>
    units.map((unit) => unit.scopes.map((table) => writePolicy(table, byKey.get(idOf(table.key, unit)), byKey, placeOf)));
  write(({ source }) => {
    met.add(source.path);
    return [0, 0, 0];
  });
  const sources = [...met].toSorted(byUnits);
  const numbers = new Map(sources.map((path, number) => [path, number]));
  const placeOf: PlaceOf = ({ source, start }) => {
    const { line, column } = positionAt(source, start);
    return [numbers.get(source.path) ?? 0, line, column];
  };
  return { sources, units: write(placeOf) };
}

/**
 * Returns the id of a policy. Principals and roles are told apart by their written names: two of them may have the
 * same key.
 */
const idOf = (key: string, { type, writtenName }: { readonly type: string; readonly writtenName: string }): string =>
  type === "principal" || type === "role" ? `${key} ${writtenName}` : key;

function writePolicy(table: ScopeTable, document: PolicyDocument | undefined, documents: Documents, placeOf: PlaceOf): PolicyLegend {
  // Only the scope remains of a policy that was left out.
  if (document === undefined || !("variables" in document) || document.kind === "derivedRoles")
    return { at: placeOf(table.span), rules: [], roles: [], variables: [], constants: [] };
  const nodes = new Map(nodesOf(document).map((node) => [node.span.start, node]));
  return {
    at: placeOf(nameOf(document).span),
    ...(table.allowsNeedConsent === true && { consent: true }),
    rules: table.rows.map((row) => writeRule(row, nodes.get(row.span.start), placeOf)),
    roles: table.derivedRoles.map((role) => writeRole(role, documents, placeOf)),
    ...writeNames(table, document, documents, placeOf),
  };
}

function nodesOf(document: PolicyDocument): readonly Node[] {
  switch (document.kind) {
    case "resource":
    case "role":
      return document.rules;
    case "principal":
      return document.rules.flatMap(({ actions }) => actions);
    default:
      return [];
  }
}

function writeRule(row: Row, node: Node | undefined, placeOf: PlaceOf): RuleLegend {
  invariant(node !== undefined, "a row stands where its rule does");
  const { condition, output } = node;
  return {
    name: row.rule,
    effect: "effect" in node ? node.effect : "allow",
    patterns: row.patterns,
    roles: row.derivedRoles,
    at: placeOf(node.span),
    ...(condition !== undefined && { when: conditionWords(condition, placeOf) }),
    ...outputWords(output, placeOf),
  };
}

function outputWords(output: OutputNode | undefined, placeOf: PlaceOf): Pick<RuleLegend, "met" | "notMet"> {
  const { ruleActivated: met, conditionNotMet: notMet } = output ?? {};
  return {
    ...(met !== undefined && { met: expressionWords(met, placeOf) }),
    ...(notMet !== undefined && { notMet: expressionWords(notMet, placeOf) }),
  };
}

function writeRole(role: DerivedRoleRow, documents: Documents, placeOf: PlaceOf): DerivedRoleLegend {
  const set = documents.get(role.origin);
  invariant(set?.kind === "derivedRoles", "a derived role stands in the set that it is of");
  const node = set.definitions.find(({ name }) => name.value === role.name);
  invariant(node !== undefined, "a set defines its derived roles");
  return {
    parents: role.parents,
    at: placeOf(node.span),
    ...(node.condition !== undefined && { when: conditionWords(node.condition, placeOf) }),
    ...writeNames(role, set, documents, placeOf),
  };
}

/** Returns the positions of the names that are used: those defined by the owner itself and those that it imports. */
function writeNames(
  { variables, constants }: Pick<ScopeTable, "variables" | "constants">,
  owner: Owner,
  documents: Documents,
  placeOf: PlaceOf,
): Pick<PolicyLegend, "variables" | "constants"> {
  const places = new Map<string, Place>();
  if (variables.length > 0) {
    const { import: imports, local, deprecated } = owner.variables;
    for (const { value } of imports) {
      const set = documents.get(setKey("export_variables", value));
      if (set?.kind === "exportVariables") for (const { name } of set.definitions) places.set(name.value, placeOf(name.span));
    }
    for (const { name } of [...local, ...deprecated]) places.set(name.value, placeOf(name.span));
  }
  const constantPlaces = new Map<string, Place>();
  if (constants.length > 0) {
    for (const { value } of owner.constants.import) {
      const set = documents.get(setKey("export_constants", value));
      if (set?.kind === "exportConstants") for (const { name } of set.definitions) constantPlaces.set(name.value, placeOf(name.span));
    }
    for (const { name } of owner.constants.local) constantPlaces.set(name.value, placeOf(name.span));
  }
  return { variables: placesOf(variables, places), constants: placesOf(constants, constantPlaces) };
}

const placesOf = (names: readonly { readonly name: string }[], places: ReadonlyMap<string, Place>): readonly Place[] =>
  names.map(({ name }) => {
    const place = places.get(name);
    invariant(place !== undefined, "a name that is used is defined");
    return place;
  });

const conditionWords = (condition: ConditionNode, placeOf: PlaceOf): Words => ({
  says: printCondition(condition),
  at: expressionsIn(condition).map((expression) => placeOfExpression(expression, placeOf)),
});

const expressionWords = (expression: ExpressionNode, placeOf: PlaceOf): Words => ({
  says: printCondition({ kind: "expression", expression }),
  at: [placeOfExpression(expression, placeOf)],
});

const expressionsIn = (condition: ConditionNode): readonly ExpressionNode[] =>
  condition.kind === "expression" ? [condition.expression] : condition.of.flatMap(expressionsIn);

const placeOfExpression = (expression: ExpressionNode, placeOf: PlaceOf): Place =>
  placeOf({ source: expression.span.source, start: sourceOffset(expression, 0) });
