/** The result of type-checking an expression. */
import type { CompiledExpression } from "../../runtime/decide/condition.ts";
import type { Issue } from "../cel/issue.ts";
import type { References } from "./references.ts";

/** An expression without errors, and what it refers to. */
export interface CheckedExpression {
  readonly compiled: CompiledExpression;
  readonly references: References;
}

/** The result of checking an expression. */
export interface ExpressionCheck {
  readonly issues: readonly Issue[];
  /** Names it refers to, even if it has errors. */
  readonly references: References;
  readonly checked?: CheckedExpression;
}
