/** The pieces that CEL text is made of. */

/** What a token is; an identifier may still be a word of the language, such as `in`; `unknown` was reported already. */
export type TokenKind = "identifier" | "quoted" | "int" | "uint" | "double" | "string" | "bytes" | "symbol" | "unknown" | "end";

/** One token, and the range of the text that it is. */
export interface Token {
  readonly kind: TokenKind;
  /** The name, the digits without suffix, the symbol, or the text as written for strings and bytes. */
  readonly text: string;
  /** The characters of a string, or the octets of a bytes literal. */
  readonly value?: string | Uint8Array;
  readonly start: number;
  readonly end: number;
}
