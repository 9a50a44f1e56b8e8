/** What each rule contributed to a decision, and why: the data of an explanation. */
import type { EvaluationError } from "../../runtime/decide/decision.ts";
import type { PolicyType } from "../../runtime/decide/policy-name.ts";
import type { Span } from "../source.ts";

/** One rule, considered for one action and one role of the principal; or a role policy that denies as a whole. */
export interface Reason {
  readonly action: string;
  readonly role: string;
  readonly type: PolicyType;
  /** Key and scope of the policy that holds the rule. */
  readonly policy: string;
  readonly scope: string;
  /** Absent if a role policy denies as a whole. */
  readonly rule?: string;
  readonly span: Span;
  /** The derived role through which the rule applies; absent if it applies through the role itself. */
  readonly derivedRole?: string;
  readonly outcome: Outcome;
  /** The effect on the action. */
  readonly says: Answer;
  /**
   * The scope requires parental consent: an unconditional ALLOW has no effect, and a conditional one becomes a DENY
   * unless its condition holds.
   */
  readonly needsConsent: boolean;
  /** The errors of its condition, or of its derived role's condition. */
  readonly errors: readonly EvaluationError[];
  /** Returns the texts of the expressions because of which a condition was not met; computed on demand. */
  readonly unmetExpressions?: () => readonly string[];
}

/** An effect on an action; `none` leaves it to other rules. */
export type Answer = "allow" | "deny" | "none";

/** What became of a rule. */
export type Outcome =
  | "other kind"
  | "other action"
  | "other role"
  | "derived role inactive"
  | "condition not met"
  | "satisfied"
  /** Strict evaluation only: an error denied the action. */
  | "failed"
  /** A role policy as a whole: none of its rules is for the kind; or none of those lists the action. */
  | "kind not listed"
  | "action not listed"
  /** A role policy that was skipped as a whole: its scope has no rule for the kind and this role or its parents. */
  | "kind unknown in scope";
