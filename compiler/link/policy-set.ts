/** All documents of a store, as one: imports resolved, names bound, conditions typed. Nothing can fail after this but by our own bug. */
import type { Condition, Variable } from "../../runtime/decide/condition.ts";
import type { Value } from "../../runtime/cel/value.ts";
import type { Effect } from "../policy/document.ts";
import type { Span } from "../source.ts";

/** What linking makes of the documents. */
export interface PolicySet {
  /** Ordered by source path (D42). */
  readonly resourcePolicies: readonly ResourcePolicy[];
}

/** The variables and constants that the expressions of a policy or of a derived role use. */
export interface Definitions {
  /** In dependency order. */
  readonly variables: readonly Variable[];
  readonly constants: readonly Constant[];
}

/** A name and the datum it stands for. */
export interface Constant {
  readonly name: string;
  readonly value: Value;
}

/** What may be done to one kind of resource, by whom, when. */
export interface ResourcePolicy extends Definitions {
  /** Sanitised as semantics 2 says; `writtenName` as the author wrote it. */
  readonly name: string;
  readonly writtenName: string;
  /** Sanitised. */
  readonly version: string;
  /** "" is the root. */
  readonly scope: string;
  /** `resource.<name>.v<version>[/<scope>]`. */
  readonly key: string;
  readonly span: Span;
  /** The derived roles that its rules refer to, in order of first reference. */
  readonly derivedRoles: readonly DerivedRole[];
  readonly rules: readonly Rule[];
}

/** A role that a principal has while it holds a parent role and a condition holds. */
export interface DerivedRole extends Definitions {
  readonly name: string;
  /** Key of the set it comes from: `derived_roles.<name>`. */
  readonly origin: string;
  readonly parentRoles: readonly string[];
  readonly condition?: Condition;
  readonly span: Span;
}

/** One rule of a resource policy. */
export interface Rule {
  /** As written, or `rule-001`. Unique within the policy for what is written; never used as a key (D30). */
  readonly name: string;
  /** Patterns: a glob only if it contains `*`. */
  readonly actions: readonly string[];
  readonly roles: readonly string[];
  /** Names in `ResourcePolicy.derivedRoles`. */
  readonly derivedRoles: readonly string[];
  readonly effect: Effect;
  readonly condition?: Condition;
  readonly span: Span;
}
