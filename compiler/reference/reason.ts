/** What each rule did to a decision and why: the raw material of an explanation. */
import type { EvaluationError } from "../../runtime/decide/decision.ts";
import type { Effect } from "../policy/document.ts";
import type { Span } from "../source.ts";

/** One rule, looked at for one action and one role of the principal. */
export interface Reason {
  readonly action: string;
  readonly role: string;
  /** Key and scope of the policy that holds the rule. */
  readonly policy: string;
  readonly scope: string;
  readonly rule: string;
  readonly effect: Effect;
  readonly span: Span;
  /** The derived role through which the rule was looked at; absent when through the role itself. */
  readonly derivedRole?: string;
  readonly outcome: Outcome;
  /** The errors that its condition, or its derived role's, met. */
  readonly errors: readonly EvaluationError[];
}

/** What became of a rule. */
export type Outcome =
  | "other action"
  | "other role"
  | "derived role inactive"
  | "condition not met"
  | "satisfied"
  /** Strict evaluation only: an error ended the action. */
  | "failed";
