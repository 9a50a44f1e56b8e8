/** What has to be among the attributes for an expression to be sure not to fail: where it is there, nobody need evaluate to know of no error. */
import type { Call, Expression, Select } from "../cel/ast.ts";
import type { JsonObject } from "../cel/value.ts";
import type { Condition } from "./condition.ts";
import type { CheckInput } from "./input.ts";
import type { Names } from "./trees.ts";

/** Names of attributes. */
export interface Needs {
  readonly principal: readonly string[];
  readonly resource: readonly string[];
}

/** Says whether evaluating may fail, given what it needs: undefined where more than a missing attribute can be in the way. */
export function mayFail(needs: Needs | undefined, { principal, resource }: CheckInput): boolean {
  return needs === undefined || lacks(principal.attr, needs.principal) || lacks(resource.attr, needs.resource);
}

function lacks(attributes: JsonObject | undefined, names: readonly string[]): boolean {
  for (let at = 0; at < names.length; at++) if (attributes === undefined || !Object.hasOwn(attributes, names[at] ?? "")) return true;
  return false;
}

/** What the variables of a policy or role need, all of them. */
export function needsOfVariables({ variables }: Names): Needs | undefined {
  const found = openNeeds();
  return variables.every(({ expression }) => isSafe(expression.tree, found)) ? written(found) : undefined;
}

/** What a condition needs with the variables that it may read: they are evaluated before it. */
export function needsOf(condition: Condition, names: Names): Needs | undefined {
  const found = openNeeds();
  const isSafeIn = (part: Condition): boolean =>
    part.kind === "expression" ? isSafe(part.expression.tree, found) : part.of.every(isSafeIn);
  return isSafeIn(condition) && names.variables.every(({ expression }) => isSafe(expression.tree, found)) ? written(found) : undefined;
}

interface Found {
  readonly principal: Set<string>;
  readonly resource: Set<string>;
}

const openNeeds = (): Found => ({ principal: new Set(), resource: new Set() });
const written = ({ principal, resource }: Found): Needs => ({ principal: [...principal], resource: [...resource] });

/** Whether a tree has a value wherever the attributes that it reads are there; notes these. */
function isSafe(tree: Expression, found: Found): boolean {
  switch (tree.kind) {
    case "literal":
      return true;
    case "select":
      return isSafeRead(tree, found);
    case "call":
      return isEquality(tree) && tree.args.every((arg) => isSafe(arg, found));
    case "logic":
      return tree.terms.every((term) => isTruth(term) && isSafe(term, found));
    default:
      return false;
  }
}

/** Equality is of all values, and never an error. */
const isEquality = ({ function: name, overload, target, args }: Call): boolean =>
  overload === undefined && target === undefined && args.length === 2 && (name === "_==_" || name === "_!=_");

/** Whether it comes to true or false, where it does not fail. */
const isTruth = (tree: Expression): boolean =>
  tree.kind === "logic" || (tree.kind === "call" && isEquality(tree)) || (tree.kind === "select" && tree.test === true);

/** A field that each record has, or an attribute. */
function isSafeRead(tree: Select, found: Found): boolean {
  const { operand, field, test, optional } = tree;
  if (optional === true) return false;
  const record = recordNamed(operand);
  if (record !== undefined) return test === undefined && fields[record].has(field);
  const read = attributeRead(tree);
  if (read === undefined) return false;
  if (test === undefined) found[read.owner].add(read.name);
  return true;
}

/** Whose attribute a selection reads, and which, if it reads one: `P.attr.x`, `has(request.resource.attr.x)`. */
export function attributeRead({ operand, field }: Select): { readonly owner: Owner; readonly name: string } | undefined {
  if (operand.kind !== "select" || operand.field !== "attr" || operand.test === true || operand.optional === true) return undefined;
  const owner = recordNamed(operand.operand);
  return owner && { owner, name: field };
}

type Owner = "principal" | "resource";

/** The record that `P`, `R`, `request.principal` and `request.resource` stand for. */
function recordNamed(tree: Expression): Owner | undefined {
  if (tree.kind === "identifier" && tree.absolute === undefined)
    return tree.name === "P" ? "principal" : tree.name === "R" ? "resource" : undefined;
  if (tree.kind !== "select" || tree.test === true || tree.optional === true) return undefined;
  const { operand, field } = tree;
  const isRequest = operand.kind === "identifier" && operand.name === "request" && operand.absolute === undefined;
  return isRequest && (field === "principal" || field === "resource") ? field : undefined;
}

const fields: { readonly [owner in Owner]: ReadonlySet<string> } = {
  principal: new Set(["id", "roles", "attr", "policyVersion", "policy_version", "scope"]),
  resource: new Set(["id", "kind", "attr", "policyVersion", "policy_version", "scope"]),
};
