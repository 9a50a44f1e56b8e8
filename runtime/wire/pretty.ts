/** Indents JSON text for people. It works on the text alone, so keys keep their order and spelling. */
import { skipSpace } from "./token.ts";

/** Indents valid JSON text by two spaces a level, with each item and field on its own line. */
export function pretty(text: string): string {
  let result = "";
  let indent = "\n";
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    switch (character) {
      case '"': {
        const end = closingQuote(text, at) + 1;
        result += text.slice(at, end);
        at = end;
        continue;
      }
      case "{":
      case "[": {
        const inner = skipSpace(text, at + 1);
        if (text[inner] === "}" || text[inner] === "]") {
          result += character + text.charAt(inner);
          at = inner + 1;
          continue;
        }
        indent += "  ";
        result += character + indent;
        break;
      }
      case "}":
      case "]":
        indent = indent.slice(0, -2);
        result += indent + character;
        break;
      case ",":
        result += character + indent;
        break;
      case ":":
        result += ": ";
        break;
      case " ":
      case "\n":
      case "\r":
      case "\t":
        break;
      default:
        result += character;
    }
    at++;
  }
  return result;
}

/** Returns the offset of the quote that closes the string opened at `opening`. */
function closingQuote(text: string, opening: number): number {
  for (let at = opening + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
