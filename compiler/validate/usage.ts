/** Collects the variables and constants that the expressions of a policy name. Whatever is written somewhere counts as used. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { childrenOf } from "../cel/children.ts";
import { recordsByName } from "../cel/records.ts";
import type { ExportVariablesDocument } from "../policy/document.ts";
import { variablesOf } from "./expressions.ts";
import type { Subject } from "./rule.ts";

/** Names, by what they are names of. */
export interface Usage {
  readonly variables: ReadonlySet<string>;
  readonly constants: ReadonlySet<string>;
}

/** Whoever takes `V` as a value takes all of it. */
const everything = "*";

/** Says whether a name is used. */
export const uses = (names: ReadonlySet<string>, name: string): boolean => names.has(name) || names.has(everything);

/** What the policy itself and the sets that it imports name; `without` leaves out one of these sets. */
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

// A memo, not a state: a tree never changes, and many policies say the same.
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
