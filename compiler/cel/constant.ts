/** Recognises constant expressions: those without names, functions of time, or loops. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { childrenOf } from "./children.ts";

/** Whether an expression always evaluates to the same value. */
export function isConstant(tree: Expression): boolean {
  switch (tree.kind) {
    case "literal":
      return true;
    case "list":
    case "map":
    case "logic":
      return childrenOf(tree).every(isConstant);
    case "call":
      return !clockFunctions.has(tree.function) && childrenOf(tree).every(isConstant);
    case "identifier":
    case "select":
    case "loop":
    case "bind":
    case "optionalMap":
    case "struct":
      return false;
  }
}

/** Whether an expression reads the current time. */
export const readsCurrentTime = (tree: Expression): boolean =>
  (tree.kind === "call" && clockFunctions.has(tree.function)) || childrenOf(tree).some(readsCurrentTime);

/** The functions that depend on the current time. */
export const clockFunctions: ReadonlySet<string> = new Set(["now", "timeSince"]);
