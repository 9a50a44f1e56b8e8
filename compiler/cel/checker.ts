/** The state shared by the parts of the type checker while they check one expression. */
import type { Expression } from "../../runtime/cel/ast.ts";
import type { Type } from "../../runtime/cel/type.ts";
import type { Environment } from "./environment.ts";
import type { Issue } from "./issue.ts";
import type { Unifier } from "./unify.ts";

/** An expression with its names resolved, and its type as far as it is known. */
export interface Typed {
  readonly tree: Expression;
  readonly type: Type;
}

/** The variables of enclosing macros, innermost first. */
export interface Scope {
  readonly name: string;
  readonly type: Type;
  readonly outer: Scope | undefined;
}

/** The state of checking one expression. */
export interface Checker {
  /** The whole expression. */
  readonly root: Expression;
  readonly environment: Environment;
  readonly unifier: Unifier;
  /** Reports an error. A function, because wording a message takes time and only a limited number is kept. */
  readonly report: (issue: () => Issue) => void;
  readonly types: Map<number, Type>;
  readonly overloads: Map<number, readonly string[]>;
  /** Checks any expression; called for sub-expressions. */
  readonly visit: (tree: Expression, scope: Scope | undefined) => Typed;
}

/** Returns the type of a macro variable; undefined if there is none. */
export function findLocal(scope: Scope | undefined, name: string): Type | undefined {
  for (let at = scope; at !== undefined; at = at.outer) if (at.name === name) return at.type;
  return undefined;
}
