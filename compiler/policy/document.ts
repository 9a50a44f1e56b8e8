/** A policy as written, every node with its position. Names are not resolved; expressions are parsed but not typed. */
import type { Expression } from "../../runtime/cel/ast.ts";
import type { JsonObject, Value } from "../../runtime/cel/value.ts";
import type { Source, Span } from "../source.ts";
import type { ScalarNode } from "../yaml/node.ts";

/** A value with its position; `path` is the YAML path shown in diagnostics. */
export interface Located<T> {
  readonly value: T;
  readonly span: Span;
  readonly path: string;
}

/** The effect of a rule. */
export type Effect = "allow" | "deny";

/** What a scope may decide without its parents (semantics 4.5). Unspecified means overriding them (D35). */
export type ScopePermissions = "override parent" | "require parental consent";

/** A policy of any type, as written. */
export type PolicyDocument =
  | ResourcePolicyDocument
  | PrincipalPolicyDocument
  | RolePolicyDocument
  | DerivedRolesDocument
  | ExportVariablesDocument
  | ExportConstantsDocument;

interface Document {
  readonly source: Source;
  /** The whole document. */
  readonly span: Span;
  /** Where the reference implementation reports problems with the whole policy: the colon after its first key, or `{`. */
  readonly head: Span;
  readonly description: string;
  /** Checked for form, then treated as absent; only hints mention it. */
  readonly isDisabled: boolean;
  /** Its form has errors (reported), so errors in relation to other policies are not reported. */
  readonly isBroken: boolean;
  /** The policy's origin in audit entries: `metadata.sourceAttributes.attributes`, overridden by those of the store. */
  readonly sourceAttributes: JsonObject;
}

/** A policy with a scope. */
interface Scoped {
  /** "" is the root scope. If the field is absent, the position is that of the document's head. */
  readonly scope: Located<string>;
}

/** A resource policy: which actions on one resource kind are allowed to whom, and when. */
export interface ResourcePolicyDocument extends Document, Scoped {
  readonly kind: "resource";
  readonly resource: Located<string>;
  readonly version: Located<string>;
  /** Absent if the author specifies nothing, which means overriding. */
  readonly scopePermissions?: Located<ScopePermissions>;
  readonly importDerivedRoles: readonly Located<string>[];
  readonly variables: VariablesBlock;
  readonly constants: ConstantsBlock;
  readonly schemas: SchemasNode;
  readonly rules: readonly RuleNode[];
}

/** A principal policy: what one principal may do; evaluated before resource policies. */
export interface PrincipalPolicyDocument extends Document, Scoped {
  readonly kind: "principal";
  readonly principal: Located<string>;
  readonly version: Located<string>;
  readonly scopePermissions?: Located<ScopePermissions>;
  readonly variables: VariablesBlock;
  readonly constants: ConstantsBlock;
  /** One for each resource pattern. */
  readonly rules: readonly PrincipalRuleNode[];
}

/** A role policy: the most that one role may do, and the parent roles whose permissions it restricts. */
export interface RolePolicyDocument extends Document, Scoped {
  readonly kind: "role";
  readonly role: Located<string>;
  /** `default` if not written. */
  readonly version: Located<string>;
  readonly parentRoles: readonly Located<string>[];
  readonly variables: VariablesBlock;
  readonly constants: ConstantsBlock;
  readonly rules: readonly RoleRuleNode[];
}

/** A named set of roles that principals get by holding a parent role while a condition is true. */
export interface DerivedRolesDocument extends Document {
  readonly kind: "derivedRoles";
  readonly name: Located<string>;
  readonly variables: VariablesBlock;
  readonly constants: ConstantsBlock;
  readonly definitions: readonly DerivedRoleNode[];
}

/** Variables that other policies import by the set's name. */
export interface ExportVariablesDocument extends Document {
  readonly kind: "exportVariables";
  readonly name: Located<string>;
  readonly definitions: readonly VariableNode[];
  readonly unread: readonly string[];
}

/** Constants that other policies import by the set's name. */
export interface ExportConstantsDocument extends Document {
  readonly kind: "exportConstants";
  readonly name: Located<string>;
  readonly definitions: readonly ConstantNode[];
  readonly unread: readonly string[];
}

/** The variables of one policy. */
export interface VariablesBlock {
  readonly import: readonly Located<string>[];
  readonly local: readonly VariableNode[];
  /** The deprecated top-level `variables`. */
  readonly deprecated: readonly VariableNode[];
  /** The names of those that cannot be read (reported). */
  readonly unread: readonly string[];
}

/** The constants of one policy. */
export interface ConstantsBlock {
  readonly import: readonly Located<string>[];
  readonly local: readonly ConstantNode[];
  readonly unread: readonly string[];
}

/** A variable as written. */
export interface VariableNode {
  /** Its span is that of the map key. */
  readonly name: Located<string>;
  readonly expression: ExpressionNode;
}

/** A constant as written. */
export interface ConstantNode {
  readonly name: Located<string>;
  readonly value: Value;
}

/** A rule as written. */
export interface RuleNode {
  readonly span: Span;
  readonly path: string;
  /** As written; if undefined, lowering names the rule `rule-001`. */
  readonly name?: Located<string>;
  readonly actions: readonly Located<string>[];
  readonly roles: readonly Located<string>[];
  readonly derivedRoles: readonly Located<string>[];
  readonly effect: Effect;
  readonly condition?: ConditionNode;
  readonly output?: OutputNode;
}

/** The rules of a principal policy for resources of one pattern. */
export interface PrincipalRuleNode {
  readonly span: Span;
  readonly path: string;
  /** A glob if it contains `*`. */
  readonly resource: Located<string>;
  readonly actions: readonly PrincipalActionNode[];
}

/** One action in a rule of a principal policy. */
export interface PrincipalActionNode {
  readonly span: Span;
  readonly path: string;
  /** As written; if undefined, lowering names it `<resource>_rule-001`. */
  readonly name?: Located<string>;
  readonly action: Located<string>;
  readonly effect: Effect;
  readonly condition?: ConditionNode;
  readonly output?: OutputNode;
}

/** A rule of a role policy: the most actions that the role may perform on resources of one pattern. */
export interface RoleRuleNode {
  readonly span: Span;
  readonly path: string;
  /** As written; if undefined, the name is empty. */
  readonly name?: Located<string>;
  readonly resource: Located<string>;
  readonly allowActions: readonly Located<string>[];
  readonly condition?: ConditionNode;
  readonly output?: OutputNode;
}

/** An output of a rule, if its condition is met and if it is not. The deprecated `expr` means the former. */
export interface OutputNode {
  readonly span: Span;
  readonly path: string;
  readonly ruleActivated?: ExpressionNode;
  readonly conditionNotMet?: ExpressionNode;
  /** The deprecated `expr` if `when.ruleActivated` overrides it: checked, never used. */
  readonly unused?: ExpressionNode;
}

/** The schemas that attributes must satisfy. */
export interface SchemasNode {
  readonly principal?: SchemaReferenceNode;
  readonly resource?: SchemaReferenceNode;
}

/** A schema reference, and the actions for which the schema is ignored. */
export interface SchemaReferenceNode {
  readonly ref: Located<string>;
  /** Patterns in the full glob dialect. */
  readonly ignoreWhen: readonly string[];
}

/** A derived role as written. */
export interface DerivedRoleNode {
  readonly span: Span;
  readonly path: string;
  readonly name: Located<string>;
  readonly parentRoles: readonly Located<string>[];
  readonly condition?: ConditionNode;
}

/** A condition as written. */
export type ConditionNode =
  | { readonly kind: "expression"; readonly expression: ExpressionNode; readonly span: Span }
  | { readonly kind: "all" | "any" | "none"; readonly of: readonly ConditionNode[]; readonly span: Span };

/** CEL text in a YAML scalar. `tree` is absent if it did not parse (already reported). */
export interface ExpressionNode {
  readonly text: string;
  /**
   * Where the reference implementation reports problems with the expression: the key of an `expr`, the value of a
   * variable.
   */
  readonly span: Span;
  readonly path: string;
  readonly tree?: Expression;
  /** The YAML scalar; `sourceOffset` maps offsets in the text to offsets in the source. */
  readonly scalar: ScalarNode;
}
