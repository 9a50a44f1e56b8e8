/**
 * Finds what an expression reads: attributes of the principal and of the resource, variables, constants. Branches
 * that are never evaluated count too.
 */
import type { Expression } from "../../runtime/cel/ast.ts";
import { childrenOf } from "../cel/children.ts";
import { recordsByName } from "../cel/records.ts";

/** The names read, by kind. */
export interface Reads {
  readonly principal: ReadonlySet<string>;
  readonly resource: ReadonlySet<string>;
  readonly variables: ReadonlySet<string>;
  readonly constants: ReadonlySet<string>;
}

type Kind = keyof Reads;

// Only a cache: a tree never changes, and many policies have the same expressions.
const known = new WeakMap<Expression, Reads>();

/** Returns the names that an expression reads. */
export function readsOf(root: Expression): Reads {
  const before = known.get(root);
  if (before !== undefined) return before;
  const found = { principal: new Set<string>(), resource: new Set<string>(), variables: new Set<string>(), constants: new Set<string>() };
  visit(root, noNames, (kind, name) => void found[kind].add(name));
  known.set(root, found);
  return found;
}

/** Variables bound by a macro. They hide a record of the same name: a loop's variable may be called R. */
type Bound = ReadonlySet<string>;

const noNames: Bound = new Set();

function visit(tree: Expression, bound: Bound, found: (kind: Kind, name: string) => void): void {
  const step = stepOf(tree);
  const kind = step && kindOf(step.operand, bound);
  if (step !== undefined && kind !== undefined) found(kind, step.name);
  const within = (parts: readonly (Expression | undefined)[], names: readonly string[]): void => {
    const inside = new Set([...bound, ...names]);
    for (const part of parts) if (part !== undefined) visit(part, inside, found);
  };
  switch (tree.kind) {
    case "loop":
      visit(tree.range, bound, found);
      return within([tree.filter, tree.body], tree.variables);
    case "bind":
      visit(tree.init, bound, found);
      return within([tree.body], [tree.name]);
    case "optionalMap":
      visit(tree.target, bound, found);
      return within([tree.body], [tree.variable]);
    default:
      for (const part of childrenOf(tree)) visit(part, bound, found);
  }
}

interface Step {
  readonly operand: Expression;
  readonly name: string;
}

/** Returns the last step of `a.b`, `a["b"]`, `a.?b`, `a[?"b"]`, `has(a.b)`. */
function stepOf(tree: Expression): Step | undefined {
  if (tree.kind === "select") return { operand: tree.operand, name: tree.field };
  if (tree.kind !== "call" || (tree.function !== "_[_]" && tree.function !== "_[?_]")) return undefined;
  const [operand, key] = tree.args;
  return operand !== undefined && key?.kind === "literal" && typeof key.value === "string" ? { operand, name: key.value } : undefined;
}

/** Returns which kind of names the fields of an expression's value are. */
function kindOf(tree: Expression, bound: Bound): Kind | undefined {
  const record = recordOf(tree, bound);
  if (record === "variables" || record === "constants") return record;
  const step = stepOf(tree);
  if (step?.name !== "attr") return undefined;
  const owner = recordOf(step.operand, bound) ?? requestFieldOf(step.operand, bound);
  return owner === "principal" || owner === "resource" ? owner : undefined;
}

const recordOf = (tree: Expression, bound: Bound): string | undefined =>
  tree.kind === "identifier" && (tree.absolute === true || !bound.has(tree.name)) ? recordsByName.get(tree.name) : undefined;

function requestFieldOf(tree: Expression, bound: Bound): string | undefined {
  const step = stepOf(tree);
  return step !== undefined && recordOf(step.operand, bound) === "request" ? step.name : undefined;
}
