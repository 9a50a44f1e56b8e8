/**
 * Collects the variables and constants that the expressions of a policy use. A name counts as used wherever it
 * occurs, even in a branch that is never evaluated.
 */
import type { Expression } from "../../runtime/cel/ast.ts";
import { childrenOf } from "../cel/children.ts";
import { recordsByName } from "../cel/records.ts";
import type { ExportVariablesDocument } from "../policy/document.ts";
import { variablesOf } from "./expressions.ts";
import type { Subject } from "./rule.ts";

/** The names used, by kind. */
export interface Usage {
  readonly variables: ReadonlySet<string>;
  readonly constants: ReadonlySet<string>;
}

/** The expression uses `V` or `C` as a whole value, so all its names count as used. */
const everything = "*";

/** Whether a name is used. */
export const uses = (names: ReadonlySet<string>, name: string): boolean => names.has(name) || names.has(everything);

/** Returns the names that the policy and the sets it imports use; `without` leaves out one of these sets. */
export function usageOf({ document, variables, deciding }: Subject, without?: ExportVariablesDocument): Usage {
  const expressions = [
    ...deciding,
    ...[document, ...variables.filter((set) => set !== without)].flatMap((each) => variablesOf(each).map(({ expression }) => expression)),
  ];
  const used = { variables: new Set<string>(), constants: new Set<string>() };
  for (const expression of expressions) {
    if (expression.tree === undefined) continue;
    const names = namesIn(expression.tree);
    for (const name of names.variables) used.variables.add(name);
    for (const name of names.constants) used.constants.add(name);
  }
  return used;
}

// Only a cache: a tree never changes, and many policies have the same expressions.
const knownNames = new WeakMap<Expression, Usage>();

function namesIn(root: Expression): Usage {
  const known = knownNames.get(root);
  if (known !== undefined) return known;
  const names = { variables: new Set<string>(), constants: new Set<string>() };
  const pending: Expression[] = [root];
  for (let tree = pending.pop(); tree !== undefined; tree = pending.pop()) {
    if (tree.kind === "select" && tree.operand.kind === "identifier") {
      const record = recordsByName.get(tree.operand.name);
      if (record === "variables" || record === "constants") names[record].add(tree.field);
    }
    if (tree.kind === "identifier") {
      const record = recordsByName.get(tree.name);
      if (record === "variables" || record === "constants") names[record].add(everything);
    }
    if (tree.kind !== "select" || tree.operand.kind !== "identifier") pending.push(...childrenOf(tree));
  }
  knownNames.set(root, names);
  return names;
}
