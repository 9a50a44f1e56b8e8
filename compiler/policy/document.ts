/** One policy as written, every node with its place. No name is resolved yet; expressions are parsed but not typed. */
import type { Expression } from "../../runtime/cel/ast.ts";
import type { JsonObject, Value } from "../../runtime/cel/value.ts";
import type { Source, Span } from "../source.ts";
import type { ScalarNode } from "../yaml/node.ts";

/** A datum and where it stands. `path` is the YAML path that diagnostics print. */
export interface Located<T> {
  readonly value: T;
  readonly span: Span;
  readonly path: string;
}

/** What a rule says. */
export type Effect = "allow" | "deny";

/** What a scope may decide without its parents (semantics 4.5); what says nothing overrides them (D35). */
export type ScopePermissions = "override parent" | "require parental consent";

/** Any policy as written. */
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
  /** Where the reference reports a problem with the whole policy: the colon after its first key, or `{`. */
  readonly head: Span;
  readonly description: string;
  /** Read and checked for form, then as if absent: only hints speak of it. */
  readonly isDisabled: boolean;
  /** Its form has mistakes (reported), so that what follows between policies is not worth a word. */
  readonly isBroken: boolean;
  /** What audit entries say of where the policy came from: `metadata.sourceAttributes.attributes`, and over them the store's own. */
  readonly sourceAttributes: JsonObject;
}

/** Where a policy stands in the tree of scopes. */
interface Scoped {
  /** "" is the root; absent fields stand at the head of the document. */
  readonly scope: Located<string>;
}

/** What may be done to one kind of resource, by whom, when. */
export interface ResourcePolicyDocument extends Document, Scoped {
  readonly kind: "resource";
  readonly resource: Located<string>;
  readonly version: Located<string>;
  /** Absent where the author says nothing, which counts as overriding. */
  readonly scopePermissions?: Located<ScopePermissions>;
  readonly importDerivedRoles: readonly Located<string>[];
  readonly variables: VariablesBlock;
  readonly constants: ConstantsBlock;
  readonly schemas: SchemasNode;
  readonly rules: readonly RuleNode[];
}

/** What one principal may do, before any resource policy is asked. */
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

/** All that one role may do at most, and the roles whose permissions it narrows. */
export interface RolePolicyDocument extends Document, Scoped {
  readonly kind: "role";
  readonly role: Located<string>;
  /** `default` where none is written. */
  readonly version: Located<string>;
  readonly parentRoles: readonly Located<string>[];
  readonly variables: VariablesBlock;
  readonly constants: ConstantsBlock;
  readonly rules: readonly RoleRuleNode[];
}

/** A named set of roles that principals get by holding a parent role while a condition holds. */
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
}

/** Constants that other policies import by the set's name. */
export interface ExportConstantsDocument extends Document {
  readonly kind: "exportConstants";
  readonly name: Located<string>;
  readonly definitions: readonly ConstantNode[];
}

/** The variables of one policy. */
export interface VariablesBlock {
  readonly import: readonly Located<string>[];
  readonly local: readonly VariableNode[];
  /** The deprecated top-level `variables`. */
  readonly deprecated: readonly VariableNode[];
}

/** The constants of one policy. */
export interface ConstantsBlock {
  readonly import: readonly Located<string>[];
  readonly local: readonly ConstantNode[];
}

/** A variable as written. */
export interface VariableNode {
  /** Its span is the map key. */
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
  /** As written, or undefined: lowering names it `rule-001`. */
  readonly name?: Located<string>;
  readonly actions: readonly Located<string>[];
  readonly roles: readonly Located<string>[];
  readonly derivedRoles: readonly Located<string>[];
  readonly effect: Effect;
  readonly condition?: ConditionNode;
  readonly output?: OutputNode;
}

/** What a principal policy says of resources of one pattern. */
export interface PrincipalRuleNode {
  readonly span: Span;
  readonly path: string;
  /** A glob if it contains `*`. */
  readonly resource: Located<string>;
  readonly actions: readonly PrincipalActionNode[];
}

/** One action of a principal policy's rule. */
export interface PrincipalActionNode {
  readonly span: Span;
  readonly path: string;
  /** As written, or undefined: lowering names it `<resource>_rule-001`. */
  readonly name?: Located<string>;
  readonly action: Located<string>;
  readonly effect: Effect;
  readonly condition?: ConditionNode;
  readonly output?: OutputNode;
}

/** A rule of a role policy: the actions that the role may do at most on resources of one pattern. */
export interface RoleRuleNode {
  readonly span: Span;
  readonly path: string;
  /** As written, or undefined: role rules without a name have an empty one. */
  readonly name?: Located<string>;
  readonly resource: Located<string>;
  readonly allowActions: readonly Located<string>[];
  readonly condition?: ConditionNode;
  readonly output?: OutputNode;
}

/** What a rule tells the caller besides: when its condition holds, and when it does not. The deprecated `expr` means the first. */
export interface OutputNode {
  readonly span: Span;
  readonly path: string;
  readonly ruleActivated?: ExpressionNode;
  readonly conditionNotMet?: ExpressionNode;
  /** The deprecated `expr` where `when.ruleActivated` wins over it: checked, never used. */
  readonly unused?: ExpressionNode;
}

/** The schemas that attributes must satisfy. */
export interface SchemasNode {
  readonly principal?: SchemaReferenceNode;
  readonly resource?: SchemaReferenceNode;
}

/** A reference to a schema, and the actions for which it does not matter. */
export interface SchemaReferenceNode {
  readonly ref: Located<string>;
  /** Patterns of the full glob dialect. */
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

/** CEL text in a YAML scalar. `tree` is absent when it did not parse (already reported). */
export interface ExpressionNode {
  readonly text: string;
  /** Where the reference reports a problem with the expression: the key of an `expr`, the value of a variable. */
  readonly span: Span;
  readonly path: string;
  readonly tree?: Expression;
  /** What the text was read from: `sourceOffset` finds its characters in the source. */
  readonly scalar: ScalarNode;
}
