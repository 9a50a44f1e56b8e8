/** All documents of a store, as one: imports resolved, names bound, conditions typed. Nothing can fail after this but by our own bug. */
import type { JsonObject, Value } from "../../runtime/cel/value.ts";
import type { CompiledExpression, Condition, Variable } from "../../runtime/decide/condition.ts";
import type { Effect, ScopePermissions } from "../policy/document.ts";
import type { Span } from "../source.ts";

export type { ScopePermissions } from "../policy/document.ts";

/** What linking makes of the documents. Each list is ordered by source path (D42). */
export interface PolicySet {
  readonly resourcePolicies: readonly ResourcePolicy[];
  readonly principalPolicies: readonly PrincipalPolicy[];
  readonly rolePolicies: readonly RolePolicy[];
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

/** What every policy that decides has. */
interface Policy extends Definitions {
  /** Sanitised as semantics 2 says; `writtenName` as the author wrote it. */
  readonly name: string;
  readonly writtenName: string;
  /** Sanitised. */
  readonly version: string;
  /** "" is the root. */
  readonly scope: string;
  /** `resource.<name>.v<version>[/<scope>]`, and so for principals and roles. */
  readonly key: string;
  readonly span: Span;
  /** What audit entries say of where it came from. */
  readonly sourceAttributes: JsonObject;
}

/** What may be done to one kind of resource, by whom, when. */
export interface ResourcePolicy extends Policy {
  readonly scopePermissions: ScopePermissions;
  /** The derived roles that its rules refer to, in order of first reference. */
  readonly derivedRoles: readonly DerivedRole[];
  readonly rules: readonly Rule[];
  /** Those in effect: of the ancestor nearest to the root, whatever this policy says (semantics 3.1). */
  readonly schemas: Schemas;
}

/** What one principal may do, before resource policies are asked. */
export interface PrincipalPolicy extends Policy {
  readonly scopePermissions: ScopePermissions;
  /** One for each action that it names of each resource pattern. */
  readonly rules: readonly PrincipalRule[];
}

/** All that one role may do at most. */
export interface RolePolicy extends Policy {
  readonly parentRoles: readonly string[];
  readonly rules: readonly RoleRule[];
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

/** What all rules have. */
interface AnyRule {
  /** As written, or automatic (semantics 2). Never used as a key (D30). */
  readonly name: string;
  readonly condition?: Condition;
  readonly output?: RuleOutput;
  readonly span: Span;
}

/** One rule of a resource policy. */
export interface Rule extends AnyRule {
  /** Patterns: a glob only if it contains `*`. */
  readonly actions: readonly string[];
  readonly roles: readonly string[];
  /** Names in `ResourcePolicy.derivedRoles`. */
  readonly derivedRoles: readonly string[];
  readonly effect: Effect;
}

/** One action of a principal policy. */
export interface PrincipalRule extends AnyRule {
  /** A pattern of kinds, as written: compared as D34 says. */
  readonly resource: string;
  /** A pattern: a glob only if it contains `*`. */
  readonly action: string;
  readonly effect: Effect;
}

/** One rule of a role policy. */
export interface RoleRule extends AnyRule {
  /** A pattern of kinds, as written: compared as D34 says. */
  readonly resource: string;
  /** Each is compared as a text and as a glob, with or without `*` (semantics 4.2). */
  readonly allowActions: readonly string[];
}

/** What a rule tells the caller; at least one of the two is there. */
export interface RuleOutput {
  readonly ruleActivated?: CompiledExpression;
  readonly conditionNotMet?: CompiledExpression;
}

/** The schemas that attributes must satisfy. */
export interface Schemas {
  readonly principal?: SchemaReference;
  readonly resource?: SchemaReference;
}

/** A schema by its reference as written, and the actions for which it does not matter: patterns of the full glob dialect. */
export interface SchemaReference {
  readonly ref: string;
  readonly ignoreWhen: readonly string[];
}
