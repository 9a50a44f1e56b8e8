/** The parser's position in the tokens: lookahead, advancing, error reporting and recovery. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { invariant } from "../../runtime/cel/error.ts";
import type { ReportIssue } from "./issue.ts";
import type { Token } from "./token.ts";
import type { Macro } from "./macros.ts";

/**
 * The deepest nesting of brackets, and the longest chain of one operator, of selections or of calls: the same as in
 * cel-go.
 */
const maximumDepth = 250;

/**
 * The most levels of a tree; chains nest too, except `&&` and `||`. cel-go counts chains and brackets separately.
 * This suffices for the longest chain whose terms are trees themselves, and is low enough for recursive walks.
 */
export const maximumHeight = maximumDepth + 50;

/** The state of a parse; the only mutable state in the front end. */
export interface Cursor {
  readonly tokens: readonly Token[];
  readonly macros: readonly Macro[];
  readonly report: ReportIssue;
  /** Index of the current token. */
  at: number;
  /** After a syntax error nothing is read until an enclosing bracket finds its next element, or nothing at all. */
  recovering: "no" | "until the next element" | "for good";
  nextId: number;
  /** Number of expressions around the current one, itself included. */
  depth: number;
}

/** Returns a cursor before the first token. */
export const openCursor = (tokens: readonly Token[], macros: readonly Macro[], report: ReportIssue): Cursor => ({
  tokens,
  macros,
  report,
  at: 0,
  recovering: "no",
  nextId: 1,
  depth: 0,
});

/** Returns the current token, or one further ahead; the end token while recovering from an error. */
export function peek(cursor: Cursor, ahead = 0): Token {
  const token = cursor.recovering === "no" ? cursor.tokens[cursor.at + ahead] : undefined;
  if (token !== undefined) return token;
  const end = cursor.tokens.at(-1);
  invariant(end !== undefined, "lex() closes the tokens with an end");
  return end;
}

/** Returns the current token and advances. */
export function advance(cursor: Cursor): Token {
  const token = peek(cursor);
  if (cursor.recovering === "no" && token.kind !== "end") cursor.at += 1;
  return token;
}

/** Whether the current token, or one further ahead, is this symbol. */
export function isAt(cursor: Cursor, symbol: string, ahead = 0): boolean {
  const token = peek(cursor, ahead);
  return token.kind === "symbol" && token.text === symbol;
}

/** Whether the current token, or one further ahead, is this name. */
export function isAtName(cursor: Cursor, name: string, ahead = 0): boolean {
  const token = peek(cursor, ahead);
  return token.kind === "identifier" && token.text === name;
}

/** Consumes a symbol if it is the current token. */
export function accept(cursor: Cursor, symbol: string): boolean {
  if (!isAt(cursor, symbol)) return false;
  cursor.at += 1;
  return true;
}

/** Returns the properties of a new node, whose range extends from `start` to the end of the last token consumed. */
export function node(cursor: Cursor, start: number): { readonly id: number; readonly start: number; readonly end: number } {
  const id = cursor.nextId;
  cursor.nextId += 1;
  return { id, start, end: Math.max(start, cursor.tokens[cursor.at - 1]?.end ?? start) };
}

/** A placeholder for a missing expression; a tree with it is never returned. */
export const missingExpression = (cursor: Cursor, start: number): Expression => ({ kind: "literal", value: null, ...node(cursor, start) });

/** Reports a syntax error, unless the parser is recovering from one. */
export function fail(cursor: Cursor, place: { readonly start: number; readonly end: number }, message: string, hint?: string): void {
  if (cursor.recovering !== "no") return;
  if (peek(cursor).kind !== "unknown") cursor.report({ start: place.start, end: place.end, message, ...(hint !== undefined && { hint }) });
  cursor.recovering = "until the next element";
}

/** Parses one level deeper; beyond the limit the parse ends. */
export function parseNested(cursor: Cursor, read: (start: number) => Expression): Expression {
  const { start } = peek(cursor);
  if (isTooDeep(cursor, cursor.depth)) return missingExpression(cursor, start);
  cursor.depth += 1;
  const result = read(start);
  cursor.depth -= 1;
  return result;
}

/** Whether the limit of levels is reached; if so, reports it and ends the parse. */
export function isTooDeep(cursor: Cursor, levels: number): boolean {
  if (levels < maximumDepth) return false;
  fail(cursor, peek(cursor), tooDeep(maximumDepth), tooDeepHint);
  cursor.recovering = "for good";
  return true;
}

/** The message for an expression that is nested too deeply. */
export const tooDeep = (levels: number): string => `the expression is nested more than ${levels} levels deep`;
/** The hint for it. */
export const tooDeepHint = "move parts of it into variables";

/** Returns the closing bracket of an opening one; undefined for other symbols. */
export const closingBracket = (symbol: string): string | undefined =>
  symbol === "(" ? ")" : symbol === "[" ? "]" : symbol === "{" ? "}" : undefined;

/**
 * Recovery after an error inside brackets: skips to the comma or closing bracket that ends the broken element, if
 * there is one, so that later elements are parsed too.
 */
export function recover(cursor: Cursor, closer: string): void {
  if (cursor.recovering !== "until the next element") return;
  const open: string[] = [];
  for (let at = cursor.at; at < cursor.tokens.length; at++) {
    const token = cursor.tokens[at];
    if (token?.kind !== "symbol") continue;
    const closes = closingBracket(token.text);
    if (open.length === 0 && (token.text === "," || token.text === closer)) {
      cursor.at = at;
      cursor.recovering = "no";
      return;
    }
    if (closes !== undefined) open.push(closes);
    else if (token.text === open.at(-1)) open.pop();
    else if (token.text === ")" || token.text === "]" || token.text === "}") return;
  }
}
