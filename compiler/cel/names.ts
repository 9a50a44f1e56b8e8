/** Qualified names: when a chain of selections may be one name, and how a namespace resolves it. */
import type { Expression } from "../../runtime/cel/ast.ts";

/** Returns the full names to try for a name, innermost namespace first; after a leading dot only the global one. */
export function candidates(container: string, name: string): readonly string[] {
  if (name.startsWith(".")) return [name.slice(1)];
  const result: string[] = [];
  for (let space = container; space !== ""; space = space.slice(0, Math.max(0, space.lastIndexOf(".")))) result.push(`${space}.${name}`);
  return [...result, name];
}

/** Returns the dotted name that a tree may stand for; undefined for other expressions. */
export function qualifiedName(tree: Expression): string | undefined {
  let fields = "";
  let at = tree;
  while (at.kind === "select" && at.test !== true && at.optional !== true) {
    fields = `.${at.field}${fields}`;
    at = at.operand;
  }
  if (at.kind !== "identifier") return undefined;
  return `${at.absolute === true ? "." : ""}${at.name}${fields}`;
}

/** Returns the name at the root of a chain of selections; undefined if the root is no plain name. */
export function rootName(tree: Expression): string | undefined {
  let at = tree;
  while (at.kind === "select") at = at.operand;
  return at.kind === "identifier" && at.absolute !== true ? at.name : undefined;
}
