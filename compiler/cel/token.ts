/** Tokens of CEL. */

/** The kind of a token. An identifier may still be a keyword, such as `in`. `unknown` has been reported already. */
export type TokenKind = "identifier" | "quoted" | "int" | "uint" | "double" | "string" | "bytes" | "symbol" | "unknown" | "end";

/** One token and its offsets in the source. */
export interface Token {
  readonly kind: TokenKind;
  /** The name, the digits without suffix, the symbol, or (for strings and bytes) the literal as written. */
  readonly text: string;
  /** The value of a string or bytes literal. */
  readonly value?: string | Uint8Array;
  readonly start: number;
  readonly end: number;
}
