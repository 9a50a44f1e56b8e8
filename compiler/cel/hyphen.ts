/** Finds attributes with a hyphen in their names that were read as a subtraction: `R.attr.cost-center`. */
import type { Call, Expression, Identifier } from "../../runtime/cel/ast.ts";
import { childrenOf } from "./children.ts";
import { printExpression } from "./print.ts";

/** A subtraction without spaces that begins with a field. */
interface Hyphenated {
  readonly of: Expression;
  readonly key: string;
  /** The ids of the identifiers in it. */
  readonly ids: readonly number[];
}

/** Returns what to write instead if an undeclared name is the end of such a name; `root` is the whole expression. */
export function hyphenHint(root: Expression, { id }: Identifier): string | undefined {
  const found = find(root, id);
  if (found === undefined || found.key.length > 60) return undefined;
  return `a name with a hyphen is written in brackets: \`${printExpression(found.of)}["${found.key}"]\``;
}

/** Returns the longest one that contains the identifier. */
function find(tree: Expression, id: number): Hyphenated | undefined {
  const here = tree.kind === "call" ? hyphenated(tree) : undefined;
  if (here?.ids.includes(id)) return here;
  for (const child of childrenOf(tree)) {
    const found = find(child, id);
    if (found !== undefined) return found;
  }
  return undefined;
}

function hyphenated({ function: name, args }: Call): Hyphenated | undefined {
  const [left, right] = args;
  if (name !== "_-_" || left === undefined || right === undefined) return undefined;
  const last = firstOf(right);
  if (last === undefined || left.end + 1 !== last.start) return undefined;
  if (left.kind === "select" && left.test !== true && left.optional !== true)
    return { of: left.operand, key: `${left.field}-${last.name}`, ids: [last.id] };
  // `a.b-c-d` is `(a.b-c)-d`.
  const before = left.kind === "call" && left.args[1]?.kind === "identifier" ? hyphenated(left) : undefined;
  return before && { of: before.of, key: `${before.key}-${last.name}`, ids: [...before.ids, last.id] };
}

/** Returns the name that an operand begins with. */
function firstOf(tree: Expression): Identifier | undefined {
  if (tree.kind === "select") return firstOf(tree.operand);
  return tree.kind === "identifier" && tree.absolute !== true ? tree : undefined;
}
