/** Says whether an entry goes on: a bracket or a text of three quotes is still open. */
import { commandNamed } from "./commands.ts";

/** Says whether more must come before the entry can be answered. */
export function isUnfinished(text: string): boolean {
  const [whole, name] = /^\s*:\s*([A-Za-z]*)/.exec(text) ?? [];
  if (whole === undefined || name === undefined) return isOpen(text);
  return commandNamed(name)?.continues === true && isOpen(text.slice(whole.length));
}

// A comment; a text, raw or not, in three quotes or in one; a bracket. What a text holds is none of these.
const pieces = /\/\/[^\n]*|(?<raw>[rR][bB]?|[bB][rR])?(?<quotes>"""|'''|"|')|[()[\]{}]|[A-Za-z0-9_]+/g;

function isOpen(text: string): boolean {
  let open = 0;
  pieces.lastIndex = 0;
  for (let found = pieces.exec(text); found !== null; found = pieces.exec(text)) {
    const [piece] = found;
    const { raw, quotes } = found.groups ?? {};
    if (quotes !== undefined) {
      const end = endOfText(text, pieces.lastIndex, quotes, raw !== undefined);
      if (end === undefined) return quotes.length === 3 || (open > 0 && text.includes("\n", pieces.lastIndex));
      pieces.lastIndex = end;
    } else if (/^[([{]$/.test(piece)) open++;
    else if (/^[)\]}]$/.test(piece)) open--;
  }
  return open > 0;
}

/** Returns where a text that started before `from` ends; a text in single quotes ends with its line. */
function endOfText(text: string, from: number, quotes: string, raw: boolean): number | undefined {
  for (let at = from; at < text.length; at++) {
    if (text.startsWith(quotes, at)) return at + quotes.length;
    if (text[at] === "\\" && !raw) at++;
    else if (text[at] === "\n" && quotes.length === 1) return undefined;
  }
  return undefined;
}
