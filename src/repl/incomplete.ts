/** Determines whether an entry continues on the next line, because a bracket or triple-quoted string is open. */
import { commandNamed } from "./commands.ts";

/** Returns whether more lines are needed before the entry can be answered. */
export function isIncomplete(text: string): boolean {
  const [whole, name] = /^\s*:\s*([A-Za-z]*)/.exec(text) ?? [];
  if (whole === undefined || name === undefined) return isOpen(text);
  return commandNamed(name)?.multiline === true && isOpen(text.slice(whole.length));
}

// Comments; strings, raw or not, with triple or single quotes; brackets. The contents of strings are skipped.
const tokens = /\/\/[^\n]*|(?<raw>[rR][bB]?|[bB][rR])?(?<quotes>"""|'''|"|')|[()[\]{}]|[A-Za-z0-9_]+/g;

function isOpen(text: string): boolean {
  let open = 0;
  tokens.lastIndex = 0;
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const [piece] = found;
    const { raw, quotes } = found.groups ?? {};
    if (quotes !== undefined) {
      const end = endOfString(text, tokens.lastIndex, quotes, raw !== undefined);
      if (end === undefined) return quotes.length === 3 || (open > 0 && text.includes("\n", tokens.lastIndex));
      tokens.lastIndex = end;
    } else if (/^[([{]$/.test(piece)) open++;
    else if (/^[)\]}]$/.test(piece)) open--;
  }
  return open > 0;
}

/** Returns the end of a string that started before `from`; a string with single quotes ends with its line. */
function endOfString(text: string, from: number, quotes: string, raw: boolean): number | undefined {
  for (let at = from; at < text.length; at++) {
    if (text.startsWith(quotes, at)) return at + quotes.length;
    if (text[at] === "\\" && !raw) at++;
    else if (text[at] === "\n" && quotes.length === 1) return undefined;
  }
  return undefined;
}
