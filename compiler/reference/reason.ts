/** What each rule did to a decision and why: the raw material of an explanation. */
import type { EvaluationError } from "../../runtime/decide/decision.ts";
import type { PolicyType } from "../../runtime/decide/policy-name.ts";
import type { Span } from "../source.ts";

/** One rule, looked at for one action and one role of the principal; or a role policy that answers as a whole. */
export interface Reason {
  readonly action: string;
  readonly role: string;
  readonly type: PolicyType;
  /** Key and scope of the policy that holds the rule. */
  readonly policy: string;
  readonly scope: string;
  /** Absent where a role policy answers as a whole. */
  readonly rule?: string;
  readonly span: Span;
  /** The derived role through which the rule was looked at; absent when through the role itself. */
  readonly derivedRole?: string;
  readonly outcome: Outcome;
  /** What that says about the action. */
  readonly says: Answer;
  /** Its scope may allow nothing by itself: what it says in favour is not heard, and what it asks for is a condition. */
  readonly needsConsent: boolean;
  /** The errors that its condition, or its derived role's, met. */
  readonly errors: readonly EvaluationError[];
  /** Names the expressions because of which a condition was not met; worked out when it is asked. */
  readonly unmet?: () => readonly string[];
}

/** What is said about an action; `none` leaves it to others. */
export type Answer = "allow" | "deny" | "none";

/** What became of a rule. */
export type Outcome =
  | "other kind"
  | "other action"
  | "other role"
  | "derived role inactive"
  | "condition not met"
  | "satisfied"
  /** Strict evaluation only: an error ended the action. */
  | "failed"
  /** A role policy as a whole: none of its rules is about the kind; none about it lists the action. */
  | "kind not listed"
  | "action not listed"
  /** A role policy as a whole is not asked: its scope has no rule at all about the kind for this role or its parents. */
  | "kind unknown in scope";
