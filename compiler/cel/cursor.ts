/** The parser's cursor in the tokens: lookahead, advancing, reporting an error and recovering from it. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { invariant } from "../../runtime/cel/error.ts";
import type { ReportIssue } from "./issue.ts";
import type { Token } from "./token.ts";
import type { Macro } from "./macros.ts";

/** How deep brackets may nest, and how long a chain of one operator, selects or calls may be: cel-go has the same bound. */
const deepest = 250;

/**
 * How many levels a tree may have. A chain nests too, except `&&` and `||`. cel-go counts chains and brackets apart; this is
 * enough for the longest chain of terms that are trees themselves, and few enough for whoever walks a tree to recurse.
 */
export const highest = deepest + 50;

/** Where a parse stands. The only thing in the front end that changes while it is used. */
export interface Cursor {
  readonly tokens: readonly Token[];
  readonly macros: readonly Macro[];
  readonly report: ReportIssue;
  /** Index of the token in view. */
  at: number;
  /** After a syntax error nothing more is read, until an enclosing bracket finds its next element; or at all. */
  lost: "no" | "until the next element" | "for good";
  nextId: number;
  /** How many expressions the one being read is inside of, itself included. */
  depth: number;
}

/** Returns a cursor before the first token. */
export const startOf = (tokens: readonly Token[], macros: readonly Macro[], report: ReportIssue): Cursor => ({
  tokens,
  macros,
  report,
  at: 0,
  lost: "no",
  nextId: 1,
  depth: 0,
});

/** Returns the token in view, or one further on. Past an error there is only the end. */
export function peek(cursor: Cursor, ahead = 0): Token {
  const token = cursor.lost === "no" ? cursor.tokens[cursor.at + ahead] : undefined;
  if (token !== undefined) return token;
  const end = cursor.tokens.at(-1);
  invariant(end !== undefined, "lex() closes the tokens with an end");
  return end;
}

/** Returns the token in view and steps on. */
export function take(cursor: Cursor): Token {
  const token = peek(cursor);
  if (cursor.lost === "no" && token.kind !== "end") cursor.at += 1;
  return token;
}

/** Says whether a symbol is in view, or so many tokens further on. */
export function sees(cursor: Cursor, symbol: string, ahead = 0): boolean {
  const token = peek(cursor, ahead);
  return token.kind === "symbol" && token.text === symbol;
}

/** Says whether a name is in view, or so many tokens further on. */
export function seesName(cursor: Cursor, name: string, ahead = 0): boolean {
  const token = peek(cursor, ahead);
  return token.kind === "identifier" && token.text === name;
}

/** Steps over a symbol if it is in view. */
export function accept(cursor: Cursor, symbol: string): boolean {
  if (!sees(cursor, symbol)) return false;
  cursor.at += 1;
  return true;
}

/** Returns what every new node carries: it reaches from an offset to the end of the last token taken. */
export function node(cursor: Cursor, start: number): { readonly id: number; readonly start: number; readonly end: number } {
  const id = cursor.nextId;
  cursor.nextId += 1;
  return { id, start, end: Math.max(start, cursor.tokens[cursor.at - 1]?.end ?? start) };
}

/** Stands where an expression is missing; its tree is never handed out. */
export const hole = (cursor: Cursor, start: number): Expression => ({ kind: "literal", value: null, ...node(cursor, start) });

/** Reports a syntax error at a place, unless one is being skipped already. */
export function fail(cursor: Cursor, place: { readonly start: number; readonly end: number }, message: string, hint?: string): void {
  if (cursor.lost !== "no") return;
  if (peek(cursor).kind !== "unknown") cursor.report({ start: place.start, end: place.end, message, ...(hint !== undefined && { hint }) });
  cursor.lost = "until the next element";
}

/** Reads one level deeper; beyond the bound the parse is over. */
export function nested(cursor: Cursor, read: (start: number) => Expression): Expression {
  const { start } = peek(cursor);
  if (isTooDeep(cursor, cursor.depth)) return hole(cursor, start);
  cursor.depth += 1;
  const result = read(start);
  cursor.depth -= 1;
  return result;
}

/** Says whether so many levels are all that there may be; if so, that is reported, and the parse is over. */
export function isTooDeep(cursor: Cursor, levels: number): boolean {
  if (levels < deepest) return false;
  fail(cursor, peek(cursor), tooDeep(deepest), tooDeepHint);
  cursor.lost = "for good";
  return true;
}

/** What is said of an expression that is nested too deep. */
export const tooDeep = (levels: number): string => `the expression is nested more than ${levels} levels deep`;
/** What to do about an expression that nests too deep. */
export const tooDeepHint = "move parts of it into variables";

/** Returns the bracket that closes an opening one, or undefined for any other symbol. */
export const closerOf = (symbol: string): string | undefined =>
  symbol === "(" ? ")" : symbol === "[" ? "]" : symbol === "{" ? "}" : undefined;

/**
 * After an error inside brackets: steps to the comma or the bracket that ends the broken element, if there is one,
 * so that the elements after it are read too.
 */
export function recover(cursor: Cursor, closer: string): void {
  if (cursor.lost !== "until the next element") return;
  const open: string[] = [];
  for (let at = cursor.at; at < cursor.tokens.length; at++) {
    const token = cursor.tokens[at];
    if (token?.kind !== "symbol") continue;
    const closes = closerOf(token.text);
    if (open.length === 0 && (token.text === "," || token.text === closer)) {
      cursor.at = at;
      cursor.lost = "no";
      return;
    }
    if (closes !== undefined) open.push(closes);
    else if (token.text === open.at(-1)) open.pop();
    else if (token.text === ")" || token.text === "]" || token.text === "}") return;
  }
}
