/** The fast parser's block scalars, literal (`|`) and folded (`>`). */
import { afterSpaces, nextLine, scalar, type Cursor } from "./cursor.ts";
import type { ScalarNode } from "./node.ts";

const blockHeader = /[|>]-?(?=\n)/y;

/** Reads the lines below a `|`, `|-`, `>` or `>-`. */
export function readBlock(cursor: Cursor, start: number, indent: number): ScalarNode | undefined {
  const { text } = cursor;
  blockHeader.lastIndex = start;
  const header = blockHeader.exec(text)?.[0];
  if (header === undefined) return undefined;
  const isFolded = header.startsWith(">");
  const lines: string[] = [];
  const first = afterSpaces(text, cursor.lineEnd + 1);
  const column = first - cursor.lineEnd - 1;
  let end = cursor.lineEnd;
  for (let from = cursor.lineEnd + 1; from < text.length;) {
    const to = text.indexOf("\n", from);
    const content = afterSpaces(text, from);
    if (to === -1 || (content === to && content > from)) return undefined;
    if (content === to) {
      // An empty line counts only when another one follows.
      if (lines.length === 0) return undefined;
    } else if (content - from < column) break;
    // Such lines are not folded, or not wholly.
    else if (isFolded && (content - from > column || text[to - 1] === " ")) return undefined;
    lines.push(text.slice(Math.min(from + column, to), to));
    if (content < to) end = to;
    from = to + 1;
  }
  while (lines.at(-1) === "") lines.pop();
  if (column <= indent || lines.length === 0) return undefined;
  cursor.lineEnd = end;
  nextLine(cursor);
  if (cursor.indent > indent) return undefined;
  const last = header.endsWith("-") ? "" : "\n";
  return scalar(cursor, start, end + 1, isFolded ? "folded" : "literal", (isFolded ? folded(lines) : lines.join("\n")) + last);
}

/** A line break is a space, and so many empty lines are as many line breaks. */
function folded(lines: readonly string[]): string {
  let text = "";
  let gap = "";
  for (const line of lines) {
    if (line === "") gap += "\n";
    else {
      text += text === "" ? line : `${gap === "" ? " " : gap}${line}`;
      gap = "";
    }
  }
  return text;
}
