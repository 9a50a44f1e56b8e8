/** Indents JSON text for people. Text in, text out: keys keep their order and their spelling, whatever they are called. */
import { skipSpace } from "./token.ts";

/** Returns sound JSON text with each item and field on a line of its own, indented by two spaces a level. */
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

/** Finds the quote that closes a string: the first that an even number of backslashes stands before. */
function closingQuote(text: string, opening: number): number {
  for (let at = opening + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
