/** Bounds the cost of evaluations: decides which expressions need their work counted, and recognises the error of one that cost too much. */
import { childrenOf } from "../../compiler/cel/children.ts";
import type { Expression } from "../../runtime/cel/ast.ts";
import { tooManySteps } from "../../runtime/cel/steps.ts";
import { tooMuchWork } from "../../runtime/cel/work.ts";

/**
 * Says whether the work of an expression, but for the turns of its loops, which are counted, can be out of proportion to
 * its text and its variables: patterns, searches, loops over what was made.
 */
export function canCostMuch(tree: Expression): boolean {
  switch (tree.kind) {
    case "literal":
    case "identifier":
      return false;
    case "loop":
      return !asking.has(tree.macro) || !isPath(tree.range) || childrenOf(tree).some(canCostMuch);
    case "struct":
    // What has a name may be used twice, and a list of it twice again: a short text makes a large value.
    case "bind":
    case "optionalMap":
      return true;
    case "call":
      return !cheap.has(tree.function) || childrenOf(tree).some(canCostMuch);
    case "select":
    case "logic":
    case "list":
    case "map":
      return childrenOf(tree).some(canCostMuch);
  }
}

/** Macros that make nothing but a boolean. */
const asking: ReadonlySet<string> = new Set(["all", "exists", "existsOne"]);

/** What is given, not made: an attribute, or an item of a loop around. */
const isPath = (tree: Expression): boolean => tree.kind === "identifier" || (tree.kind === "select" && isPath(tree.operand));

/** Operators and functions that look at each part of their operands once at most, and make nothing that is longer. */
const cheap: ReadonlySet<string> = new Set([
  ..."!_ -_ _==_ _!=_ _<_ _<=_ _>_ _>=_ _-_ _*_ _/_ _%_ _[_] @in _?_:_".split(" "),
  ..."size startsWith endsWith bool int uint double dyn type timestamp duration now timeSince".split(" "),
]);

/** Says whether what was thrown means that an evaluation cost too much: steps, work, or the depth and size of what it walks over. */
export const isTooMuch = (trouble: unknown): boolean =>
  trouble === tooManySteps || trouble === tooMuchWork || trouble instanceof RangeError;
