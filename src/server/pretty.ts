/** Lays JSON text out for people. Works on the text, so that no key changes its place and no number its digits. */

/** Returns valid JSON text with one member a line, indented by two spaces. */
export function prettyJson(text: string): string {
  let out = "";
  let depth = 0;
  const line = (): string => `\n${"  ".repeat(depth)}`;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    switch (character) {
      case '"': {
        const end = endOfString(text, at);
        out += text.slice(at, end);
        at = end - 1;
        break;
      }
      case "{":
      case "[": {
        const close = /[^\s]/g;
        close.lastIndex = at + 1;
        const next = close.exec(text);
        if (next !== null && (next[0] === "}" || next[0] === "]")) {
          out += character + next[0];
          at = next.index;
        } else {
          depth++;
          out += character + line();
        }
        break;
      }
      case "}":
      case "]":
        depth--;
        out += line() + character;
        break;
      case ",":
        out += character + line();
        break;
      case ":":
        out += ": ";
        break;
      case " ":
      case "\n":
      case "\r":
      case "\t":
        break;
      default:
        out += character;
    }
  }
  return `${out}\n`;
}

/** Returns the offset behind the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
