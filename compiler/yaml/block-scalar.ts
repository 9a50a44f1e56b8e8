/** Reads block scalars in the fast parser: literal (`|`) and folded (`>`). */
import { skipSpaces, nextLine, scalar, type Cursor } from "./cursor.ts";
import type { ScalarNode } from "./node.ts";

const blockHeader = /[|>]-?(?=\n)/y;

/** Reads the lines below a `|`, `|-`, `>` or `>-`; undefined if the full parser must decide. */
export function readBlockScalar(cursor: Cursor, start: number, indent: number): ScalarNode | undefined {
  const { text } = cursor;
  blockHeader.lastIndex = start;
  const header = blockHeader.exec(text)?.[0];
  if (header === undefined) return undefined;
  const isFolded = header.startsWith(">");
  const lines: string[] = [];
  const first = skipSpaces(text, cursor.lineEnd + 1);
  const column = first - cursor.lineEnd - 1;
  let end = cursor.lineEnd;
  for (let from = cursor.lineEnd + 1; from < text.length;) {
    const to = text.indexOf("\n", from);
    const content = skipSpaces(text, from);
    if (to === -1 || (content === to && content > from)) return undefined;
    if (content === to) {
      // Leading empty lines are left to the full parser.
      if (lines.length === 0) return undefined;
    } else if (content - from < column) break;
    // Lines that are indented further or end in a space follow other folding rules, so they are left to the full
    // parser.
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

/** Folds lines: one line break becomes a space, `n` empty lines become `n` line breaks. */
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
