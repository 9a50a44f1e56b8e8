/**
 * All documents of a store, linked: imports resolved, names bound, conditions typed. After this, only our own bugs
 * can cause errors.
 */
import type { JsonObject, Value } from "../../runtime/cel/value.ts";
import type { CompiledExpression, Condition, Variable } from "../../runtime/decide/condition.ts";
import type { Effect, ScopePermissions } from "../policy/document.ts";
import type { Span } from "../source.ts";

export type { ScopePermissions } from "../policy/document.ts";

/** The result of linking. Each list is ordered by source path (D42). */
export interface PolicySet {
  readonly resourcePolicies: readonly ResourcePolicy[];
  readonly principalPolicies: readonly PrincipalPolicy[];
  readonly rolePolicies: readonly RolePolicy[];
}

/** The variables and constants used by the expressions of a policy or derived role. */
export interface Definitions {
  /** In dependency order. */
  readonly variables: readonly Variable[];
  readonly constants: readonly Constant[];
}

/** A constant and its value. */
export interface Constant {
  readonly name: string;
  readonly value: Value;
}

/** What resource, principal and role policies share. */
interface Policy extends Definitions {
  /** Sanitised (semantics 2); `writtenName` is as written. */
  readonly name: string;
  readonly writtenName: string;
  /** Sanitised. */
  readonly version: string;
  /** "" is the root scope. */
  readonly scope: string;
  /** `resource.<name>.v<version>[/<scope>]`; likewise for principals and roles. */
  readonly key: string;
  readonly span: Span;
  /** The origin of the policy, for audit entries. */
  readonly sourceAttributes: JsonObject;
}

/** Which actions on one resource kind are allowed to whom, and when. */
export interface ResourcePolicy extends Policy {
  readonly scopePermissions: ScopePermissions;
  /** The derived roles that its rules refer to, in order of first reference. */
  readonly derivedRoles: readonly DerivedRole[];
  readonly rules: readonly Rule[];
  /** The schemas in effect: those of the rootmost ancestor, whatever this policy specifies (semantics 3.1). */
  readonly schemas: Schemas;
}

/** What one principal may do; evaluated before resource policies. */
export interface PrincipalPolicy extends Policy {
  readonly scopePermissions: ScopePermissions;
  /** One for each action of each resource pattern. */
  readonly rules: readonly PrincipalRule[];
}

/** The most that one role may do. */
export interface RolePolicy extends Policy {
  readonly parentRoles: readonly string[];
  readonly rules: readonly RoleRule[];
}

/** A role that a principal has while it holds a parent role and a condition is true. */
export interface DerivedRole extends Definitions {
  readonly name: string;
  /** Key of the set it comes from: `derived_roles.<name>`. */
  readonly origin: string;
  readonly parentRoles: readonly string[];
  readonly condition?: Condition;
  readonly span: Span;
}

/** What rules of all types share. */
interface AnyRule {
  /** As written, or automatic (semantics 2). Never used as a key (D30). */
  readonly name: string;
  readonly condition?: Condition;
  readonly output?: RuleOutput;
  readonly span: Span;
}

/** One rule of a resource policy. */
export interface Rule extends AnyRule {
  /** Patterns: globs only if they contain `*`. */
  readonly actions: readonly string[];
  readonly roles: readonly string[];
  /** Names in `ResourcePolicy.derivedRoles`. */
  readonly derivedRoles: readonly string[];
  readonly effect: Effect;
}

/** One action of a principal policy. */
export interface PrincipalRule extends AnyRule {
  /** A pattern of kinds, as written; compared as D34 says. */
  readonly resource: string;
  /** A pattern: a glob only if it contains `*`. */
  readonly action: string;
  readonly effect: Effect;
}

/** One rule of a role policy. */
export interface RoleRule extends AnyRule {
  /** A pattern of kinds, as written; compared as D34 says. */
  readonly resource: string;
  /** Each is compared literally and as a glob, with or without `*` (semantics 4.2). */
  readonly allowActions: readonly string[];
}

/** The outputs of a rule; at least one of the two is present. */
export interface RuleOutput {
  readonly ruleActivated?: CompiledExpression;
  readonly conditionNotMet?: CompiledExpression;
}

/** The schemas that attributes must satisfy. */
export interface Schemas {
  readonly principal?: SchemaReference;
  readonly resource?: SchemaReference;
}

/** A schema reference as written, and the actions for which the schema is ignored (patterns of the full glob dialect). */
export interface SchemaReference {
  readonly ref: string;
  readonly ignoreWhen: readonly string[];
}
