/** Compiled conditions and variables of policies: linked by `compiler/`, evaluated by the interpreter. */
import type { Expression } from "../cel/ast.ts";
import type { Evaluate } from "../cel/evaluate/closures.ts";

/**
 * The condition of a rule: a tree with CEL expressions as leaves. A leaf with an error or a non-boolean value counts
 * as false (semantics 5.2).
 */
export type Condition =
  | { readonly kind: "expression"; readonly expression: CompiledExpression }
  /** True if all are true; stops at the first false. */
  | { readonly kind: "all"; readonly of: readonly Condition[] }
  /** True if at least one is true; stops at the first true. */
  | { readonly kind: "any"; readonly of: readonly Condition[] }
  /** True if none is true; stops at the first true. */
  | { readonly kind: "none"; readonly of: readonly Condition[] };

/** A checked expression: its source text, and the tree with names resolved. */
export interface CompiledExpression {
  readonly text: string;
  readonly tree: Expression;
  /** A faster evaluator of the tree, for expressions evaluated in many requests. */
  readonly closure?: Evaluate;
  /** Whether it depends only on the caller, so that its result is the same for each resource of a call. */
  readonly ofCaller?: boolean;
}

/** A variable and its expression. Lists of variables are in dependency order. */
export interface Variable {
  readonly name: string;
  readonly expression: CompiledExpression;
}

/** How a failed variable is treated: as unset, so that reading it fails; or as null, where semantics 4.6 says so. */
export type WhenFailed = "unset" | "null";
