/** Determines which attributes certainly exist where an expression is true, or where it is false: `has(R.attr.x)`, alone and among others. */
import type { Expression } from "../cel/ast.ts";
import { type AttributeRead, attributeRead, type Taken } from "./attribute-read.ts";

/** Attributes that are there for certain, and those that are so further out. */
export interface Present {
  readonly found: ReadonlySet<string>;
  readonly outer: Present | undefined;
}

/** Says whether an attribute is there for certain. */
export function isPresent(present: Present | undefined, read: AttributeRead): boolean {
  if (present === undefined) return false;
  const key = keyOf(read);
  for (let at: Present | undefined = present; at !== undefined; at = at.outer) if (at.found.has(key)) return true;
  return false;
}

/**
 * Adds the attributes without which an expression comes to the opposite, whatever else it reads and whether that fails: one term
 * decides `&&` and `||` beside any error (CEL spec, "Logical operators"). Makes the set where there is none yet.
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
