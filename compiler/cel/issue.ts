/** Problems of one expression, placed by offsets into the expression's own text. */

/** One problem. */
export interface Issue {
  readonly start: number;
  readonly end: number;
  /** What is wrong: lower case, no full stop, the author's words in backticks. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}

/** Collects the problems of one expression while parsing or checking carries on. */
export type ReportIssue = (issue: Issue) => void;

/** How many problems of one expression are worth reading; the rest are dropped. */
export const maximumIssues = 20;
