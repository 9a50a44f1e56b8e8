/** One policy as written, every node with its place. No name is resolved yet; expressions are parsed but not typed. */
import type { Expression } from "../../runtime/cel/ast.ts";
import type { Value } from "../../runtime/cel/value.ts";
import type { Source, Span } from "../source.ts";

/** A datum and where it stands. `path` is the YAML path that diagnostics print. */
export interface Located<T> {
  readonly value: T;
  readonly span: Span;
  readonly path: string;
}

/** What a rule says. */
export type Effect = "allow" | "deny";

/** Any policy as written. */
export type PolicyDocument = ResourcePolicyDocument | DerivedRolesDocument | ExportVariablesDocument | ExportConstantsDocument;

interface Document {
  readonly source: Source;
  /** The whole document. */
  readonly span: Span;
  /** Where the reference reports a problem with the whole policy: the colon after its first key, or `{`. */
  readonly head: Span;
  readonly description: string;
}

/** What may be done to one kind of resource, by whom, when. */
export interface ResourcePolicyDocument extends Document {
  readonly kind: "resource";
  readonly resource: Located<string>;
  readonly version: Located<string>;
  readonly importDerivedRoles: readonly Located<string>[];
  readonly variables: VariablesBlock;
  readonly constants: ConstantsBlock;
  readonly rules: readonly RuleNode[];
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
  /** Maps an offset of `text` to an offset of the source, so that a frame can underline one name. */
  readonly sourceOffset: (offset: number) => number;
}
