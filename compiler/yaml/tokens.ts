/** Splits a source into YAML tokens, and gives up before the nesting is so deep that the parser would exhaust the stack. */
import { Lexer, Parser, type CST } from "yaml";
import { limits } from "./limits.ts";

/**
 * Returns the tokens of all documents; undefined if the nesting is too deep. A byte order mark gives no token and no
 * indentation.
 */
export function tokensOf(text: string): readonly CST.Token[] | undefined {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  const start = text.startsWith("\uFEFF") ? 1 : 0;
  parser.offset = start;
  // The parser closes open collections recursively, so its nesting is checked as it grows. Its stack also holds the
  // document and a scalar.
  for (const lexeme of new Lexer().lex(text.slice(start))) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > limits.depth + 2) return undefined;
  }
  tokens.push(...parser.end());
  return tokens;
}
