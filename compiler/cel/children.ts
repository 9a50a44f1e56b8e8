/** The children and the height of a syntax tree, computed without recursion, so that deep trees are no problem. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { unreachable } from "../../runtime/cel/error.ts";

/** Returns the direct sub-expressions, in source order. */
export function childrenOf(tree: Expression): readonly Expression[] {
  switch (tree.kind) {
    case "literal":
    case "identifier":
      return [];
    case "select":
      return [tree.operand];
    case "call":
      return tree.target === undefined ? tree.args : [tree.target, ...tree.args];
    case "logic":
      return tree.terms;
    case "list":
      return tree.elements;
    case "map":
      return tree.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return tree.fields.map((field) => field.value);
    case "loop":
      return tree.filter === undefined ? [tree.range, tree.body] : [tree.range, tree.filter, tree.body];
    case "bind":
      return [tree.init, tree.body];
    case "optionalMap":
      return [tree.target, tree.body];
    default:
      return unreachable(tree);
  }
}

/** Returns the number of levels below the root. */
export function heightOf(tree: Expression): number {
  let level: readonly Expression[] = [tree];
  for (let height = 0; ; height++) {
    level = level.flatMap(childrenOf);
    if (level.length === 0) return height;
  }
}
