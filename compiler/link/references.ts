/**
 * Finds the variables and constants that an expression uses: `V.x`, `variables.x`, `C.x`, `constants.x`, and in no
 * other form (semantics 3.2).
 */
import type { Expression, Range } from "../../runtime/cel/ast.ts";
import { recordsByName } from "../cel/records.ts";

/** The variables and constants that one expression refers to. */
export interface References {
  /** Name -> range of its first occurrence. */
  readonly variables: ReadonlyMap<string, Range>;
  readonly constants: ReadonlyMap<string, Range>;
}

/** Collects what a checked expression refers to. */
export function referencesOf(tree: Expression): References {
  const found = { variables: new Map<string, Range>(), constants: new Map<string, Range>() };
  visit(tree, new Set(), (kind, name, range) => {
    if (!found[kind].has(name)) found[kind].set(name, range);
  });
  return found;
}

type Found = (kind: keyof References, name: string, range: Range) => void;

function visit(node: Expression, bound: ReadonlySet<string>, found: Found): void {
  const into = (child: Expression): void => visit(child, bound, found);
  const within = (child: Expression, names: readonly string[]): void => visit(child, new Set([...bound, ...names]), found);
  switch (node.kind) {
    case "literal":
    case "identifier":
      return;
    case "select": {
      const { operand } = node;
      const record = operand.kind === "identifier" ? recordsByName.get(operand.name) : undefined;
      const kind = record === "variables" || record === "constants" ? record : undefined;
      // A macro variable may be called V.
      if (kind !== undefined && operand.kind === "identifier" && (operand.absolute || !bound.has(operand.name)))
        found(kind, node.field, node);
      return into(operand);
    }
    case "call":
      if (node.target) into(node.target);
      return liveArguments(node.function, node.args).forEach(into);
    case "logic": {
      // The reference implementation collects names after folding, where `true || x` is `true`.
      const absorbing = node.operator === "||";
      if (!node.terms.some((term) => term.kind === "literal" && term.value === absorbing)) node.terms.forEach(into);
      return;
    }
    case "list":
      return node.elements.forEach(into);
    case "map":
      return node.entries.forEach((entry) => {
        into(entry.key);
        into(entry.value);
      });
    case "struct":
      return node.fields.forEach((field) => into(field.value));
    case "loop":
      into(node.range);
      if (node.filter) within(node.filter, node.variables);
      return within(node.body, node.variables);
    case "bind":
      into(node.init);
      return within(node.body, [node.name]);
    case "optionalMap":
      into(node.target);
      return within(node.body, [node.variable]);
  }
}

/** The arguments that remain after folding: of `true ? a : b` only `a`. */
function liveArguments(name: string, args: readonly Expression[]): readonly Expression[] {
  const [condition, yes, no] = args;
  if (name !== "_?_:_" || condition?.kind !== "literal" || yes === undefined || no === undefined) return args;
  return condition.value === true ? [yes] : condition.value === false ? [no] : args;
}
