/** Recognises constant expressions: they read literals alone, no name and no clock, and have no loop that could take long. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { childrenOf } from "./children.ts";

/** Says whether an expression comes to the same value wherever and whenever it is evaluated. */
export function isConstant(tree: Expression): boolean {
  switch (tree.kind) {
    case "literal":
      return true;
    case "list":
    case "map":
    case "logic":
      return childrenOf(tree).every(isConstant);
    case "call":
      return !readsTheClock.has(tree.function) && childrenOf(tree).every(isConstant);
    case "identifier":
    case "select":
    case "loop":
    case "bind":
    case "optionalMap":
    case "struct":
      return false;
  }
}

/** Says whether an expression asks for the instant. */
export const asksForTheInstant = (tree: Expression): boolean =>
  (tree.kind === "call" && readsTheClock.has(tree.function)) || childrenOf(tree).some(asksForTheInstant);

/** The functions whose value is another at another instant. */
export const readsTheClock: ReadonlySet<string> = new Set(["now", "timeSince"]);
