/** Makes an expression small that the two sides answer differently: each part gives way to one of its own parts, or to something plain. */
import { childrenOf } from "../../compiler/cel/children.ts";
import { parse } from "../../compiler/cel/parse.ts";
import type { Expression } from "../../runtime/cel/ast.ts";

/** Tries smaller and smaller texts as long as they still differ, at most so many. */
export async function shrink(
  text: string,
  firstDiffering: (texts: readonly string[]) => Promise<string | undefined>,
  tries = 1500,
): Promise<string> {
  let current = text;
  let left = tries;
  while (left > 0) {
    const candidates = [...new Set(smaller(current))].sort((a, b) => a.length - b.length).slice(0, left);
    if (candidates.length === 0) return current;
    let next: string | undefined;
    for (let at = 0; at < candidates.length && next === undefined; at += 50) {
      const some = candidates.slice(at, at + 50);
      left -= some.length;
      next = await firstDiffering(some);
    }
    if (next === undefined) return current;
    current = next;
  }
  return current;
}

const plain = ["1", "true", '"a"', "1.0", "null", "[]", "dyn(1)"];

function* smaller(text: string): Iterable<string> {
  const { tree, issues } = parse(text);
  if (tree === undefined || issues.length > 0) return;
  for (const node of nodes(tree)) {
    const children = childrenOf(node).map((child) => text.slice(child.start, child.end));
    for (const replacement of [...children, ...plain]) {
      const whole = node === tree ? replacement : `${text.slice(0, node.start)}${wrap(replacement)}${text.slice(node.end)}`;
      if (whole.length < text.length) yield whole;
    }
    const items = node.kind === "list" ? node.elements : node.kind === "logic" ? node.terms : node.kind === "map" ? node.entries : [];
    const joint = node.kind === "logic" ? ` ${node.operator} ` : ", ";
    const [open, close] = node.kind === "list" ? "[]" : node.kind === "map" ? "{}" : "()";
    for (const index of items.keys()) {
      const rest = items.filter((_, other) => other !== index).map((item) => text.slice(item.start, item.end));
      if (node.kind !== "logic" || rest.length > 1)
        yield `${text.slice(0, node.start)}${open}${rest.join(joint)}${close}${text.slice(node.end)}`;
    }
  }
}

const wrap = (text: string): string => (/^[\w.]+$|^"[^"]*"$/.test(text) ? text : `(${text})`);

function* nodes(tree: Expression): Iterable<Expression> {
  yield tree;
  for (const child of childrenOf(tree)) yield* nodes(child);
}
