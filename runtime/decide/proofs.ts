/**
 * Determines which attributes certainly exist if an expression is true, or if it is false: `has(R.attr.x)`, by itself
 * or in `&&` and `||`.
 */
import type { Expression } from "../cel/ast.ts";
import { type AttributeRead, attributeRead, type Taken } from "./attribute-read.ts";

/** The attributes known to exist, with those known in the enclosing expression. */
export interface Present {
  readonly found: ReadonlySet<string>;
  readonly outer: Present | undefined;
}

/** Whether an attribute is known to exist. */
export function isPresent(present: Present | undefined, read: AttributeRead): boolean {
  if (present === undefined) return false;
  const key = keyOf(read);
  for (let at: Present | undefined = present; at !== undefined; at = at.outer) if (at.found.has(key)) return true;
  return false;
}

/**
 * Adds the attributes that must exist for an expression to have the given outcome. This holds even if other terms
 * fail, because a single term decides `&&` and `||` despite errors (CEL spec, "Logical operators"). Creates the set
 * on demand.
 */
export function addProven(tree: Expression, outcome: boolean, taken: Taken | undefined, to?: Set<string>): Set<string> | undefined {
  let found = to;
  switch (tree.kind) {
    case "select": {
      const read = tree.test === true && outcome ? attributeRead(tree, taken) : undefined;
      return read === undefined ? found : (found ?? new Set()).add(keyOf(read));
    }
    case "call": {
      const [only] = tree.args;
      return tree.function === "!_" && tree.target === undefined && only !== undefined ? addProven(only, !outcome, taken, found) : found;
    }
    case "logic":
      if ((tree.operator === "&&") === outcome) for (const term of tree.terms) found = addProven(term, outcome, taken, found);
      return found;
    default:
      return found;
  }
}

const keyOf = ({ owner, name }: AttributeRead): string => `${owner} ${name}`;
