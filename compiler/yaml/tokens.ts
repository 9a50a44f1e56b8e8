/** Splits a text into YAML tokens, and gives up before it is nested so deeply that the parser would exhaust the stack. */
import { Lexer, Parser, type CST } from "yaml";
import { limits } from "./limits.ts";

/** Returns the tokens of all documents; undefined where one is nested deeper than is allowed. A byte order mark is none, and indents nothing. */
export function tokensOf(text: string): readonly CST.Token[] | undefined {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  const start = text.startsWith("\uFEFF") ? 1 : 0;
  parser.offset = start;
  // The parser ends what is open by calling itself for each level, so it is not let further in. Besides the collections a document and a scalar are open.
  for (const lexeme of new Lexer().lex(text.slice(start))) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > limits.depth + 2) return undefined;
  }
  tokens.push(...parser.end());
  return tokens;
}
