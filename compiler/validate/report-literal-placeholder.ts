/** Warns of a string that holds a placeholder such as `${P.id}`: CEL inserts nothing into strings, so it is compared as it is written. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { childrenOf } from "../cel/children.ts";
import { focusOf } from "../policy/expression.ts";
import type { Rule } from "./rule.ts";

/** A placeholder with a path that begins at a variable of policies; any other is taken for text. */
const placeholder = /\$\{\s*((?:request|runtime|variables|constants|globals|[PRVCG])(?:\.[A-Za-z_]\w*|\["[^"\]]*"\]|\['[^'\]]*'\])+)\s*\}/;

/** Checks every string of every expression. */
export const reportLiteralPlaceholders: Rule = ({ expressions }, report) => {
  for (const expression of expressions) {
    // Hardly any expression contains the characters, and then the tree need not be walked.
    if (expression.tree === undefined || !expression.text.includes("${")) continue;
    for (const { string, tree } of stringsIn(expression.tree)) {
      const [written, path] = placeholder.exec(string) ?? [];
      if (written === undefined || path === undefined) continue;
      report({
        code: "literal-placeholder",
        severity: "warning",
        span: expression.span,
        focus: focusOf(expression, tree),
        path: expression.path,
        message: `nothing takes the place of \`${written}\`: the string contains these characters`,
        hint:
          string === written
            ? `write \`${path}\` without the quotes`
            : `put \`${path}\` outside of the quotes, and join strings with \`+\``,
      });
    }
  }
};

function stringsIn(root: Expression): readonly { readonly string: string; readonly tree: Expression }[] {
  const found: { readonly string: string; readonly tree: Expression }[] = [];
  const left: Expression[] = [root];
  for (let tree = left.pop(); tree !== undefined; tree = left.pop()) {
    if (tree.kind === "literal" && typeof tree.value === "string") found.push({ string: tree.value, tree });
    left.push(...childrenOf(tree).toReversed());
  }
  return found;
}
