/** Problems in one expression, with ranges in the expression's text. */

/** One problem. */
export interface Issue {
  readonly start: number;
  readonly end: number;
  /** What is wrong: lower case, no full stop, quotations from the source in backticks. */
  readonly message: string;
  /** How to correct it. */
  readonly hint?: string;
}

/** Receives the problems of one expression; parsing or checking continues. */
export type ReportIssue = (issue: Issue) => void;

/** Most problems reported for one expression; the rest are dropped. */
export const maximumIssues = 20;
