/** The report of a run as a tree, for terminals. */
import type { RunResult } from "../result.ts";
import { printReport, type ReportNode, type ReportOptions } from "./report-nodes.ts";

/** Prints a run. */
export const printTree = (run: RunResult, options: ReportOptions): string => printReport(run, options, (nodes) => lines(nodes, ""));

function lines(nodes: readonly ReportNode[], indent: string): readonly string[] {
  return nodes.flatMap(({ text, children }, index) => {
    const isLast = index === nodes.length - 1;
    const branch = `${isLast ? "└" : "├"}─${children.length > 0 ? "┬" : "─"}`;
    return [`${indent}${branch}${text}`, ...lines(children, `${indent}${isLast ? "  " : "│ "}`)];
  });
}
