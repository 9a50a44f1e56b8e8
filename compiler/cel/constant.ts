/** Recognises constant expressions: those without names, functions of time, named time zones, or loops. */
import type { Call, Expression } from "../../runtime/cel/ast.ts";
import { numbersInUtc } from "../../runtime/cel/functions/times.ts";
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
      return !clockFunctions.has(tree.function) && !asksZone(tree) && childrenOf(tree).every(isConstant);
    case "identifier":
    case "select":
    case "loop":
    case "bind":
    case "optionalMap":
    case "struct":
      return false;
  }
}

/**
 * Whether a call reads a timestamp in a named zone: `Local` is the zone of the server, and its data of the others may be
 * newer than ours.
 */
const asksZone = (tree: Call): boolean => tree.args.length === 1 && numbersInUtc.has(tree.function);

/** Whether an expression reads the current time. */
export const readsCurrentTime = (tree: Expression): boolean =>
  (tree.kind === "call" && clockFunctions.has(tree.function)) || childrenOf(tree).some(readsCurrentTime);

/** The functions that depend on the current time. */
export const clockFunctions: ReadonlySet<string> = new Set(["now", "timeSince"]);
