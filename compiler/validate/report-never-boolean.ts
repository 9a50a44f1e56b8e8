/** Warns of an expression of a condition that is never true, because its type is not bool. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { printType } from "../../runtime/cel/type.ts";
import { check } from "../cel/check.ts";
import { policyEnvironment } from "../cel/environment.ts";
import type { Rule } from "./rule.ts";

/** Checks every expression of every condition (semantics 5.2: a value that is not a boolean counts as false). */
export const reportNeverBoolean: Rule = ({ leaves }, report) => {
  for (const { tree, text, span, path } of leaves) {
    if (tree === undefined || isPlainlyBoolean(tree)) continue;
    const { type, issues } = check(tree, policyEnvironment);
    if (issues.length > 0 || ["bool", "dyn", "error", "parameter"].includes(type.kind)) continue;
    report({
      code: "never-boolean",
      severity: "warning",
      span,
      path,
      message: `\`${text.trim()}\` never holds: it is of type ${printType(type)}, and only \`true\` holds`,
      hint: "compare it with something",
    });
  }
};

const boolean: ReadonlySet<string> = new Set(["_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "@in", "!_"]);

/** Whether an expression is obviously a boolean. Most are, and then the checker need not run. */
const isPlainlyBoolean = (tree: Expression): boolean =>
  tree.kind === "logic" ||
  (tree.kind === "call" && boolean.has(tree.function)) ||
  (tree.kind === "loop" && ["all", "exists", "existsOne"].includes(tree.macro)) ||
  (tree.kind === "select" && tree.test === true);
