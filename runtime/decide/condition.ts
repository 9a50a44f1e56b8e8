/** Conditions and variables of policies, compiled: what `compiler/` links and the interpreter evaluates. */
import type { Expression } from "../cel/ast.ts";
import type { Evaluate } from "../cel/evaluate/quick.ts";

/** A condition of a rule: a tree of CEL expressions. An error or a non-boolean at a leaf makes that leaf false (semantics 5.2). */
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
  /** Evaluates the tree, where that happens request after request. */
  readonly quick?: Evaluate;
  /** Can read nothing but the caller's part of a request, so that it comes to the same for each resource of a call. */
  readonly ofCaller?: boolean;
}

/** A name and what it stands for; a list of these is in dependency order. */
export interface Variable {
  readonly name: string;
  readonly expression: CompiledExpression;
}

/** What a variable that fails is: unset, so that reading it fails; or null, where semantics 4.6 says so. */
export type WhenFailed = "unset" | "null";
