/** The parts of a syntax tree, and how deep it is; both without recursion, so that any tree may be asked. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { unreachable } from "../../runtime/cel/error.ts";

/** Returns the expressions directly inside an expression, in the order of the text. */
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

/** Returns how many levels of expressions lie below the root. */
export function heightOf(tree: Expression): number {
  let level: readonly Expression[] = [tree];
  for (let height = 0; ; height++) {
    level = level.flatMap(childrenOf);
    if (level.length === 0) return height;
  }
}
