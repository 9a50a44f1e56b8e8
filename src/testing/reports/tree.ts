/** The report of a run as a tree, for terminals. */
import type { RunResult } from "../result.ts";
import { printReport, type Node, type ReportOptions } from "./outline.ts";

/** Prints a run. */
export const printTree = (run: RunResult, options: ReportOptions): string => printReport(run, options, (nodes) => lines(nodes, ""));

function lines(nodes: readonly Node[], indent: string): readonly string[] {
  return nodes.flatMap(({ text, below }, index) => {
    const isLast = index === nodes.length - 1;
    const branch = `${isLast ? "└" : "├"}─${below.length > 0 ? "┬" : "─"}`;
    return [`${indent}${branch}${text}`, ...lines(below, `${indent}${isLast ? "  " : "│ "}`)];
  });
}
