/** Bounds the cost of evaluations: decides which expressions need their work counted, and recognises the error of one that cost too much. */
import { childrenOf } from "../../compiler/cel/children.ts";
import type { Expression } from "../../runtime/cel/ast.ts";
import { tooManySteps } from "../../runtime/cel/steps.ts";
import { tooMuchWork } from "../../runtime/cel/work.ts";

/**
 * Returns whether the work of an expression can be out of proportion to its length and its variables, apart from loop iterations, which
 * are always counted. That is so for regular expressions, searches, and loops over values that the expression made.
 */
export function canCostMuch(tree: Expression): boolean {
  switch (tree.kind) {
    case "literal":
    case "identifier":
      return false;
    case "loop":
      return !asking.has(tree.macro) || !isPath(tree.range) || childrenOf(tree).some(canCostMuch);
    case "struct":
    // A bound name may be used twice, and its result twice again: a short expression can make a large value.
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

/** Macros whose only result is a boolean. */
const asking: ReadonlySet<string> = new Set(["all", "exists", "existsOne"]);

/** Returns whether an operand is given rather than made: a variable, a field of it, or the variable of an enclosing loop. */
const isPath = (tree: Expression): boolean => tree.kind === "identifier" || (tree.kind === "select" && isPath(tree.operand));

/** Operators and functions that visit each part of their operands at most once, and make nothing longer than them. */
const cheap: ReadonlySet<string> = new Set([
  ..."!_ -_ _==_ _!=_ _<_ _<=_ _>_ _>=_ _-_ _*_ _/_ _%_ _[_] @in _?_:_".split(" "),
  ..."size startsWith endsWith bool int uint double dyn type timestamp duration now timeSince".split(" "),
]);

/** Returns whether a thrown value means that an evaluation exceeded a limit: of steps, work, depth or size. */
export const isTooMuch = (trouble: unknown): boolean =>
  trouble === tooManySteps || trouble === tooMuchWork || trouble instanceof RangeError;
