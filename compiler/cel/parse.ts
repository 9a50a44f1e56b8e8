/** Parses CEL: the whole grammar of cel-go, with optional syntax. Invalid input is reported as issues; nothing is thrown. */
import type { Expression, MapEntry, Struct } from "../../runtime/cel/ast.ts";
import { codePointCount } from "../../runtime/cel/text.ts";
import { heightOf } from "./children.ts";
import {
  accept,
  maximumHeight,
  missingExpression,
  isTooDeep,
  parseNested,
  node,
  peek,
  recover,
  isAt,
  isAtName,
  openCursor,
  advance,
  tooDeep,
  tooDeepHint,
  type Cursor,
} from "./cursor.ts";
import { maximumIssues, type Issue } from "./issue.ts";
import { lex } from "./lex.ts";
import type { Token } from "./token.ts";
import { allMacros, expand, type Macro } from "./macros.ts";
import { numberTooLarge, numberValue } from "./number-literal.ts";
import { missingCloser, missingColon, missingField, missingOperand, missingOperator, missingSymbol } from "./syntax-errors.ts";
import { keywords, logicWords, operatorHints, reservedWords } from "./keywords.ts";

/** The maximum length of an expression in code points, as in cel-go. */
export const maximumLength = 100_000;

/** The result of parsing: a tree, or issues. */
export interface ParseResult {
  /** Absent if there are issues. */
  readonly tree?: Expression;
  /** In source order. */
  readonly issues: readonly Issue[];
}

/** Parses one expression. `macros` are the macros to recognise: all by default. */
export function parse(text: string, macros: readonly Macro[] = allMacros): ParseResult {
  if (text.length > 2 * maximumLength || codePointCount(text) > maximumLength) {
    const message = `the expression is longer than ${maximumLength} characters`;
    return { issues: [{ start: 0, end: text.length, message, hint: "move parts of it into variables" }] };
  }
  const issues: Issue[] = [];
  const report = (issue: Issue): void => void (issues.length < maximumIssues && issues.push(issue));
  const cursor = openCursor(lex(text, report), macros, report);
  const tree = parseExpression(cursor);
  if (peek(cursor).kind !== "end") missingOperator(cursor);
  if (issues.length > 0) return { issues: issues.toSorted((a, b) => a.start - b.start) };
  // A tree cannot be higher than its number of tokens, so a short expression is not measured.
  if (cursor.tokens.length > maximumHeight && heightOf(tree) > maximumHeight)
    return { issues: [{ start: tree.start, end: tree.end, message: tooDeep(maximumHeight), hint: tooDeepHint }] };
  return { tree, issues };
}

// expr: or ('?' or ':' expr)?
const parseExpression = (cursor: Cursor): Expression =>
  parseNested(cursor, (start) => {
    const condition = parseLogic(cursor, "||");
    if (!accept(cursor, "?")) return condition;
    const from = cursor.at;
    const yes = parseLogic(cursor, "||");
    if (!accept(cursor, ":")) missingColon(cursor, from);
    const no = parseExpression(cursor);
    return { kind: "call", function: "_?_:_", args: [condition, yes, no], ...node(cursor, start) };
  });

/** Parses a chain of one operator into one n-ary node, however long. Parentheses start a new node. */
function parseLogic(cursor: Cursor, operator: "&&" | "||"): Expression {
  const { start } = peek(cursor);
  const term = (): Expression => (operator === "||" ? parseLogic(cursor, "&&") : parseRelation(cursor));
  const terms = [term()];
  while (accept(cursor, operator) || acceptLogicWord(cursor, operator)) terms.push(term());
  const [only] = terms;
  return terms.length === 1 && only !== undefined ? only : { kind: "logic", operator, terms, ...node(cursor, start) };
}

function acceptLogicWord(cursor: Cursor, operator: "&&" | "||"): boolean {
  const { kind, text, start, end } = peek(cursor);
  if (kind !== "identifier" || logicWords.get(text) !== operator) return false;
  cursor.report({ start, end, message: `\`${text}\` is not an operator`, hint: `write \`${operator}\`` });
  advance(cursor);
  return true;
}

const relations: readonly string[] = ["<", "<=", ">", ">=", "==", "!="];
const sums: readonly string[] = ["+", "-"];
const products: readonly string[] = ["*", "/", "%"];

const parseRelation = (cursor: Cursor): Expression => parseChain(cursor, relations, () => parseSum(cursor));
const parseSum = (cursor: Cursor): Expression => parseChain(cursor, sums, () => parseProduct(cursor));
const parseProduct = (cursor: Cursor): Expression => parseChain(cursor, products, () => parseUnary(cursor));

/** Parses `a op b op c`, left-associative. Each operator makes the tree one level deeper. */
function parseChain(cursor: Cursor, operators: readonly string[], operand: () => Expression): Expression {
  const { start } = peek(cursor);
  let left = operand();
  for (let length = 0; ; length++) {
    const token = peek(cursor);
    const isIn = operators === relations && isAtName(cursor, "in");
    if (!isIn && !(token.kind === "symbol" && operators.includes(token.text))) return left;
    if (isTooDeep(cursor, length)) return left;
    advance(cursor);
    const args = [left, operand()];
    left = { kind: "call", function: isIn ? "@in" : `_${token.text}_`, args, ...node(cursor, start) };
  }
}

// unary: member | '!'+ member | '-'+ member. A single minus directly before a number is part of the number literal.
function parseUnary(cursor: Cursor): Expression {
  const sign = peek(cursor);
  let count = 0;
  while (sign.kind === "symbol" && (sign.text === "!" || sign.text === "-") && accept(cursor, sign.text)) count++;
  if (count === 1 && sign.text === "-" && isAtSignedNumber(cursor, 0)) return parseMember(cursor, sign);
  const operand = isAt(cursor, "-") && isAtSignedNumber(cursor, 1) ? parseMember(cursor, advance(cursor)) : parseMember(cursor);
  return count % 2 === 0 ? operand : { kind: "call", function: `${sign.text}_`, args: [operand], ...node(cursor, sign.start) };
}

function isAtSignedNumber(cursor: Cursor, ahead: number): boolean {
  const { kind } = peek(cursor, ahead);
  return kind === "int" || kind === "double";
}

function parseMember(cursor: Cursor, sign?: Token): Expression {
  const start = sign?.start ?? peek(cursor).start;
  let operand = sign === undefined ? parsePrimary(cursor) : parseNumber(cursor, advance(cursor), sign);
  for (let length = 0; isAt(cursor, ".") || isAt(cursor, "["); length++) {
    if (isTooDeep(cursor, length)) return operand;
    operand = advance(cursor).text === "." ? parseSelect(cursor, operand, start) : parseIndex(cursor, operand, start);
  }
  return operand;
}

function parseSelect(cursor: Cursor, operand: Expression, start: number): Expression {
  const optional = accept(cursor, "?");
  const token = peek(cursor);
  if (token.kind !== "quoted" && (token.kind !== "identifier" || keywords.has(token.text))) {
    missingField(cursor);
    return operand;
  }
  advance(cursor);
  const opener = peek(cursor);
  if (token.kind === "identifier" && !optional && accept(cursor, "(")) {
    const args = parseArguments(cursor, opener);
    return expand(cursor, { kind: "call", function: token.text, target: operand, args, ...node(cursor, start) });
  }
  return { kind: "select", operand, field: token.text, ...(optional && { optional }), ...node(cursor, start) };
}

function parseIndex(cursor: Cursor, operand: Expression, start: number): Expression {
  const opener = cursor.tokens[cursor.at - 1] ?? peek(cursor);
  const optional = accept(cursor, "?");
  const index = parseExpression(cursor);
  recover(cursor, "]");
  if (!accept(cursor, "]")) missingCloser(cursor, opener, "]");
  return { kind: "call", function: optional ? "_[?_]" : "_[_]", args: [operand, index], ...node(cursor, start) };
}

function parsePrimary(cursor: Cursor): Expression {
  const token = peek(cursor);
  switch (token.kind) {
    case "int":
    case "uint":
    case "double":
      return parseNumber(cursor, advance(cursor));
    case "string":
    case "bytes":
      return { kind: "literal", value: advance(cursor).value ?? null, ...node(cursor, token.start) };
    case "identifier":
      return parseName(cursor);
    case "symbol":
      return parseBracketed(cursor, token);
    default:
      missingOperand(cursor);
      return missingExpression(cursor, token.start);
  }
}

function parseBracketed(cursor: Cursor, opener: Token): Expression {
  const { start } = opener;
  if (isAt(cursor, ".") && peek(cursor, 1).kind === "identifier") return parseName(cursor);
  if (accept(cursor, "(")) {
    const inner = parseExpression(cursor);
    recover(cursor, ")");
    if (!accept(cursor, ")")) missingCloser(cursor, opener, ")");
    return inner;
  }
  if (accept(cursor, "[")) {
    const elements: Expression[] = [];
    const optionals: number[] = [];
    parseElements(cursor, opener, "]", true, () => {
      if (accept(cursor, "?")) optionals.push(elements.length);
      elements.push(parseExpression(cursor));
    });
    return { kind: "list", elements, optionals, ...node(cursor, start) };
  }
  if (accept(cursor, "{")) {
    const entries: MapEntry[] = [];
    parseElements(cursor, opener, "}", true, () => entries.push(parseEntry(cursor)));
    return { kind: "map", entries, ...node(cursor, start) };
  }
  missingOperand(cursor);
  return missingExpression(cursor, start);
}

function parseEntry(cursor: Cursor): MapEntry {
  const { start } = peek(cursor);
  const optional = accept(cursor, "?");
  const key = parseExpression(cursor);
  if (!accept(cursor, ":")) missingSymbol(cursor, "`:`", "an entry is written `key: value`");
  const value = parseExpression(cursor);
  return { key, value, optional, ...node(cursor, start) };
}

/** Parses elements up to the closing bracket. `lastComma` allows a trailing comma. */
function parseElements(cursor: Cursor, opener: Token, closer: string, lastComma: boolean, element: () => void): void {
  if (lastComma && isAt(cursor, ",") && isAt(cursor, closer, 1)) advance(cursor);
  while (!isAt(cursor, closer)) {
    element();
    if (!isAt(cursor, ",") && !isAt(cursor, closer)) missingCloser(cursor, opener, closer);
    recover(cursor, closer);
    if (!accept(cursor, ",")) break;
    if (!lastComma && isAt(cursor, closer)) missingSymbol(cursor, "another argument", "remove the comma");
  }
  if (!accept(cursor, closer)) missingCloser(cursor, opener, closer);
}

function parseArguments(cursor: Cursor, opener: Token): readonly Expression[] {
  const args: Expression[] = [];
  parseElements(cursor, opener, ")", false, () => args.push(parseExpression(cursor)));
  return args;
}

/** Parses `a`, `.a`, `f(...)`, `true`, or a message literal `a.b{...}`. */
function parseName(cursor: Cursor): Expression {
  const { start } = peek(cursor);
  const absolute = accept(cursor, ".");
  const token = peek(cursor);
  if (keywords.has(token.text)) return parseKeyword(cursor, token, absolute);
  const length = messageNameLength(cursor);
  if (length > 0) return parseMessage(cursor, start, absolute, length);
  advance(cursor);
  if (reservedWords.has(token.text)) {
    const hint = operatorHints.get(token.text) ?? "choose another name";
    cursor.report({ start: token.start, end: token.end, message: `\`${token.text}\` is a reserved word`, hint });
  }
  const opener = peek(cursor);
  if (accept(cursor, "(")) {
    const args = parseArguments(cursor, opener);
    return expand(cursor, { kind: "call", function: absolute ? `.${token.text}` : token.text, args, ...node(cursor, start) });
  }
  return { kind: "identifier", name: token.text, ...(absolute && { absolute }), ...node(cursor, start) };
}

function parseKeyword(cursor: Cursor, token: Token, absolute: boolean): Expression {
  if (absolute || token.text === "in") {
    missingOperand(cursor);
    return missingExpression(cursor, token.start);
  }
  advance(cursor);
  return { kind: "literal", value: token.text === "null" ? null : token.text === "true", ...node(cursor, token.start) };
}

/** Returns the number of tokens of `a.b.c` if a `{` follows, which makes it the name of a message; otherwise 0. */
function messageNameLength(cursor: Cursor): number {
  let length = 1;
  while (isAt(cursor, ".", length) && peek(cursor, length + 1).kind === "identifier" && !keywords.has(peek(cursor, length + 1).text))
    length += 2;
  return isAt(cursor, "{", length) ? length : 0;
}

function parseMessage(cursor: Cursor, start: number, absolute: boolean, length: number): Expression {
  let name = absolute ? "." : "";
  for (let i = 0; i < length; i++) name += advance(cursor).text;
  const fields: Struct["fields"][number][] = [];
  const opener = advance(cursor);
  parseElements(cursor, opener, "}", true, () => {
    const { start: at } = peek(cursor);
    const optional = accept(cursor, "?");
    const token = peek(cursor);
    if (token.kind !== "quoted" && (token.kind !== "identifier" || keywords.has(token.text))) return missingField(cursor);
    advance(cursor);
    if (!accept(cursor, ":")) missingSymbol(cursor, "`:`");
    const value = parseExpression(cursor);
    fields.push({ id: node(cursor, at).id, name: token.text, value, optional });
  });
  return { kind: "struct", name, fields, ...node(cursor, start) };
}

function parseNumber(cursor: Cursor, token: Token, sign?: Token): Expression {
  const start = sign?.start ?? token.start;
  const value = numberValue(token, sign !== undefined);
  if (value !== undefined) return { kind: "literal", value, ...node(cursor, start) };
  cursor.report(numberTooLarge(token, start));
  return missingExpression(cursor, start);
}
