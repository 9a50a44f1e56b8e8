/** The state that the parts of the type checker share while they check one expression. */
import type { Expression } from "../../runtime/cel/ast.ts";
import type { Type } from "../../runtime/cel/type.ts";
import type { Environment } from "./environment.ts";
import type { Issue } from "./issue.ts";
import type { Unifier } from "./unify.ts";

/** An expression with its names resolved, and its type as far as it is known yet. */
export interface Typed {
  readonly tree: Expression;
  readonly type: Type;
}

/** The variables that macros brought in, innermost first. */
export interface Scope {
  readonly name: string;
  readonly type: Type;
  readonly outer: Scope | undefined;
}

/** What checking one expression has at hand. */
export interface Checker {
  readonly environment: Environment;
  readonly unifier: Unifier;
  /** Takes a problem as a function, because finding the words takes time, and only so many problems are kept. */
  readonly report: (issue: () => Issue) => void;
  readonly types: Map<number, Type>;
  readonly overloads: Map<number, readonly string[]>;
  /** Checks any expression: the parts that check one kind call it for what is inside. */
  readonly visit: (tree: Expression, scope: Scope | undefined) => Typed;
}

/** Returns the type of a variable that a macro brought in. */
export function findLocal(scope: Scope | undefined, name: string): Type | undefined {
  for (let at = scope; at !== undefined; at = at.outer) if (at.name === name) return at.type;
  return undefined;
}
