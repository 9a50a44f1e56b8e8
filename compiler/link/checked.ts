/** The result of type-checking an expression. */
import type { CompiledExpression } from "../../runtime/decide/condition.ts";
import type { Issue } from "../cel/issue.ts";
import type { References } from "./references.ts";

/** An expression without mistakes, and what it refers to. */
export interface Checked {
  readonly compiled: CompiledExpression;
  readonly references: References;
}

/** What checking an expression came to. */
export interface Checking {
  readonly issues: readonly Issue[];
  /** What it names, with mistakes too. */
  readonly references: References;
  readonly checked?: Checked;
}
