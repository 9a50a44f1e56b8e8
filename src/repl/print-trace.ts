/** Prints the trace of an evaluation: each subexpression with its value. */
import { childrenOf } from "../../compiler/cel/children.ts";
import type { Expression } from "../../runtime/cel/ast.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { brief } from "../../runtime/cel/evaluate/brief.ts";
import { describe } from "../../runtime/cel/evaluate/describe.ts";
import type { Trace } from "../../runtime/cel/evaluate/explain.ts";
import { Message } from "../../runtime/cel/value.ts";
import { oneLine, printAnnotatedTree, type AnnotatedRow } from "./annotated-tree.ts";
import { printShort } from "./print-result.ts";

/** Prints a trace. An error is shown where it occurred, and marked as propagated above. */
export function printTrace(root: Trace, text: string, from = 0): string {
  const rows: AnnotatedRow[] = [];
  const textOf = (tree: Expression): string => oneLine(text.slice(tree.start, tree.end));
  const walk = ({ tree, outcome, parts, iteration, leftOut }: Trace, depth: number): void => {
    // Literals and records are left out, because they show nothing new.
    if (depth > from && (tree.kind === "literal" || outcome instanceof Message)) return;
    rows.push({
      depth,
      text: `${iteration === undefined ? "" : `[${brief(iteration)}] `}${textOf(tree)}`,
      note: printOutcome(tree, outcome),
    });
    // Of a path such as `R.attr.amount` only the value of the whole is shown, unless it failed.
    if (isPath(tree) && !(outcome instanceof EvalError)) return;
    parts.forEach((part, at) => {
      if (leftOut > 0 && at === parts.length - 1) rows.push({ depth: depth + 1, text: "...", note: `${leftOut} more` });
      walk(part, depth + 1);
    });
    const looked = new Set(parts.map((part) => part.tree));
    if (tree.kind === "logic" || (tree.kind === "call" && tree.function === "_?_:_"))
      for (const part of childrenOf(tree))
        if (!looked.has(part) && part.kind !== "literal") rows.push({ depth: depth + 1, text: textOf(part), note: "not evaluated" });
  };
  walk(root, from);
  return printAnnotatedTree(rows);
}

const isPath = (tree: Expression): boolean => tree.kind === "identifier" || (tree.kind === "select" && isPath(tree.operand));

function printOutcome(tree: Expression, outcome: Trace["outcome"]): string {
  if (!(outcome instanceof EvalError)) return `= ${printShort(outcome)}`;
  const arose = outcome.place?.tree ?? tree;
  return arose === tree ? `= error: ${describe(outcome)}` : "= error";
}
