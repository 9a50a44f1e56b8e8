/** The problems of a configuration: how they are reported and printed. */

/** One problem of a configuration. */
export interface Problem {
  readonly severity: "error" | "warning";
  readonly place: string;
  /** In lower case without a full stop; the author's words are in backticks. */
  readonly message: string;
  readonly hint?: string;
}

/** Collects problems while reading continues. */
export type ReportProblem = (problem: Problem) => void;

/** Prints a problem in one line, or two with a hint. */
export function printProblem(problem: Problem): string {
  const line = `${problem.place}: ${problem.severity}: ${problem.message}`;
  return problem.hint === undefined ? line : `${line}\n  = hint: ${problem.hint}`;
}
