/** The report of a run as indented lines, for logs. */
import type { RunResult } from "../result.ts";
import { printReport, type ReportNode, type ReportOptions } from "./report-nodes.ts";

/** Prints a run. */
export const printList = (run: RunResult, options: ReportOptions): string => printReport(run, options, (nodes) => lines(nodes, ""));

const lines = (nodes: readonly ReportNode[], indent: string): readonly string[] =>
  nodes.flatMap(({ text, children }) => [`${indent}${text}`, ...lines(children, `${indent}  `)]);
