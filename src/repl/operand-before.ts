/** Finds the operand before a dot, in text that may be an incomplete expression. */

const openers: ReadonlyMap<string, string> = new Map([
  [")", "("],
  ["]", "["],
  ["}", "{"],
]);

/** Returns the operand at the end of a text: names, calls, indices and literals, joined by dots. */
export function operandBefore(text: string): string {
  let at = text.length;
  for (;;) {
    const end = at;
    at = beginningOfTerm(text, at);
    if (at === end) return text.slice(at).trim();
    const before = text.slice(0, at).trimEnd();
    if (!before.endsWith(".")) return text.slice(at).trim();
    at = before.length - 1;
  }
}

/** Steps back over one name, literal or bracket, and over the name that a call or index belongs to. */
function beginningOfTerm(text: string, end: number): number {
  let at = text.slice(0, end).trimEnd().length;
  const last = text[at - 1] ?? "";
  if (last === '"' || last === "'") return Math.max(0, text.lastIndexOf(last, at - 2));
  for (let opener = openers.get(text[at - 1] ?? ""); opener !== undefined; opener = openers.get(text[at - 1] ?? "")) {
    const closer = text[at - 1];
    let depth = 0;
    do {
      at -= 1;
      if (text[at] === closer) depth += 1;
      else if (text[at] === opener) depth -= 1;
    } while (depth > 0 && at > 0);
    if (at === 0) return 0;
  }
  while (at > 0 && /\w/.test(text[at - 1] ?? "")) at -= 1;
  return at;
}
