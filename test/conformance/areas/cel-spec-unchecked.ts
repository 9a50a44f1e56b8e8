/** Resolves the names of a tree that nobody checked: a qualified name means the longest one that is bound. */
import { candidates, qualifiedName, rootName } from "../../../compiler/cel/names.ts";
import type { Expression } from "../../../runtime/cel/ast.ts";
import { overloadsOf } from "../../../runtime/cel/functions/index.ts";

/** Returns the tree with bound qualified names as one identifier and namespaced functions as one call. */
export function resolveNames(
  tree: Expression,
  container: string,
  isBound: (name: string) => boolean,
  locals: readonly string[] = [],
): Expression {
  const resolve = (part: Expression, ...more: readonly string[]): Expression =>
    resolveNames(part, container, isBound, [...locals, ...more]);
  switch (tree.kind) {
    case "literal":
      return tree;
    case "identifier":
    case "select": {
      const name = qualifiedName(tree);
      const root = rootName(tree);
      const hidden = root !== undefined && locals.includes(root);
      const bound = name === undefined || hidden ? undefined : candidates(container, name).find(isBound);
      if (bound !== undefined) return { kind: "identifier", name: bound, id: tree.id, start: tree.start, end: tree.end };
      return tree.kind === "identifier" ? tree : { ...tree, operand: resolve(tree.operand) };
    }
    case "call": {
      const args = tree.args.map((argument) => resolve(argument));
      if (tree.target === undefined) return { ...tree, args };
      const namespace = qualifiedName(tree.target);
      const { target, ...rest } = tree;
      const whole = `${namespace}.${tree.function}`;
      return namespace !== undefined && overloadsOf(whole).length > 0
        ? { ...rest, function: whole, args }
        : { ...tree, target: resolve(target), args };
    }
    case "logic":
      return { ...tree, terms: tree.terms.map((term) => resolve(term)) };
    case "list":
      return { ...tree, elements: tree.elements.map((element) => resolve(element)) };
    case "map":
      return { ...tree, entries: tree.entries.map((entry) => ({ ...entry, key: resolve(entry.key), value: resolve(entry.value) })) };
    case "struct":
      return { ...tree, fields: tree.fields.map((field) => ({ ...field, value: resolve(field.value) })) };
    case "loop":
      return {
        ...tree,
        range: resolve(tree.range),
        body: resolve(tree.body, ...tree.variables),
        ...(tree.filter !== undefined && { filter: resolve(tree.filter, ...tree.variables) }),
      };
    case "bind":
      return { ...tree, init: resolve(tree.init), body: resolve(tree.body, tree.name) };
    case "optionalMap":
      return { ...tree, target: resolve(tree.target), body: resolve(tree.body, tree.variable) };
  }
}
