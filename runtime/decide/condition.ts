/** A condition of a rule: a tree of CEL expressions. An error or a non-boolean at a leaf makes that leaf false (semantics 5.2). */
import type { Expression } from "../cel/ast.ts";

export type Condition =
  | { readonly kind: "expression"; readonly expression: CompiledExpression }
  /** true when every one is; stops at the first false. */
  | { readonly kind: "all"; readonly of: readonly Condition[] }
  /** true when one is; stops at the first true. */
  | { readonly kind: "any"; readonly of: readonly Condition[] }
  /** true when none is; stops at the first true. */
  | { readonly kind: "none"; readonly of: readonly Condition[] };

/** A checked expression: the author's words, and the resolved tree. */
export interface CompiledExpression {
  readonly text: string;
  readonly tree: Expression;
}

/** A name and what it stands for; a list of these is in dependency order. */
export interface Variable {
  readonly name: string;
  readonly expression: CompiledExpression;
}
