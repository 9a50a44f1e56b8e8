/** Qualified names: how a chain of selects may be one name, and where a namespace looks for it. */
import type { Expression } from "../../runtime/cel/ast.ts";

/** Returns the names by which a name may be declared, innermost namespace first; a leading dot means the outermost only. */
export function candidates(container: string, name: string): readonly string[] {
  if (name.startsWith(".")) return [name.slice(1)];
  const result: string[] = [];
  for (let space = container; space !== ""; space = space.slice(0, Math.max(0, space.lastIndexOf(".")))) result.push(`${space}.${name}`);
  return [...result, name];
}

/** Returns the dotted name that a tree may stand for, or undefined for any other expression. */
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

/** Returns the name at the root of a chain of selects, or undefined when the root is no plain name. */
export function rootName(tree: Expression): string | undefined {
  let at = tree;
  while (at.kind === "select") at = at.operand;
  return at.kind === "identifier" && at.absolute !== true ? at.name : undefined;
}
