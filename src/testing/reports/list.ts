/** The report of a run as indented lines, for logs. */
import type { RunResult } from "../result.ts";
import { printReport, type Node, type ReportOptions } from "./outline.ts";

/** Prints a run. */
export const printList = (run: RunResult, options: ReportOptions): string => printReport(run, options, (nodes) => lines(nodes, ""));

const lines = (nodes: readonly Node[], indent: string): readonly string[] =>
  nodes.flatMap(({ text, below }) => [`${indent}${text}`, ...lines(below, `${indent}  `)]);
