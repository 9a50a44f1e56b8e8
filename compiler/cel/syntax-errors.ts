/** Reports unexpected tokens, with a hint where the likely mistake is known. */
import { closingBracket, fail, peek, isAt, isAtName, type Cursor } from "./cursor.ts";
import type { Token } from "./token.ts";
import { keywords, operatorHints } from "./keywords.ts";

/** Reports that an operand is missing: a value, a name, or an opening bracket. */
export function missingOperand(cursor: Cursor): void {
  const token = peek(cursor);
  const previous = cursor.tokens[cursor.at - 1];
  if (token.kind === "end" && previous === undefined) return fail(cursor, token, "the expression is empty");
  const closer = previous?.kind === "symbol" ? closingBracket(previous.text) : undefined;
  if (token.kind === "end" && previous !== undefined && closer !== undefined) return missingCloser(cursor, previous, closer);
  if (token.kind === "end") {
    const hint = previous?.kind === "symbol" ? `\`${previous.text}\` needs a value after it` : undefined;
    return fail(cursor, token, "the expression ends where a value was expected", hint);
  }
  fail(cursor, token, `unexpected ${show(token)} where a value was expected`, operandHint(token));
}

/** Reports a token after the end of the expression. */
export function missingOperator(cursor: Cursor): void {
  const token = peek(cursor);
  const previous = cursor.tokens[cursor.at - 1];
  if (token.kind === "symbol" && (token.text === ")" || token.text === "]" || token.text === "}")) {
    return fail(cursor, token, `\`${token.text}\` closes nothing`);
  }
  const hint =
    previous?.kind === "identifier" && previous.text === "not"
      ? "`!` negates: `!(a)`"
      : token.kind === "identifier" && token.text === "not" && !isAtName(cursor, "in", 1)
        ? undefined
        : operatorHint(token, previous);
  fail(cursor, token, `unexpected ${show(token)}`, hint ?? (token.kind === "symbol" ? undefined : "an operator is missing before it"));
}

/** Reports that `expected` is missing before the current token. */
export function missingSymbol(cursor: Cursor, expected: string, hint?: string): void {
  const token = peek(cursor);
  if (token.kind === "end") return fail(cursor, token, `the expression ends where ${expected} was expected`, hint);
  fail(
    cursor,
    token,
    `unexpected ${show(token)} where ${expected} was expected`,
    hint ?? operatorHint(token, cursor.tokens[cursor.at - 1]),
  );
}

/** Reports a bracket that is never closed, or the token found instead of the closing bracket. */
export function missingCloser(cursor: Cursor, opener: Token, closer: string): void {
  if (peek(cursor).kind === "end") return fail(cursor, opener, `\`${opener.text}\` is never closed`, `close it with \`${closer}\``);
  // Between parentheses around one expression: wherever else a comma may stand, it has been taken.
  if (closer === ")" && isAt(cursor, ",")) return missingSymbol(cursor, "`)`", "a list is written in square brackets: `[a, b]`");
  missingSymbol(cursor, `\`,\` or \`${closer}\``);
}

/** Reports that the `:` of a conditional is missing; `from` is the position of the token after its `?`. */
export function missingColon(cursor: Cursor, from: number): void {
  // `a?.b` of other languages. With a `:` it is a conditional, because a name may begin with a dot.
  const [question, first] = cursor.tokens.slice(from - 1, from + 1);
  const isSelect = first?.text === "." && first.start === question?.end;
  missingSymbol(
    cursor,
    "`:`",
    isAt(cursor, "?")
      ? undefined
      : isSelect
        ? "an optional field is written `a.?b`, with a default `a.?b.orValue(c)`"
        : "write `condition ? a : b`",
  );
}

/** Reports a token after a dot that is not a field name. */
export function missingField(cursor: Cursor): void {
  const token = peek(cursor);
  missingSymbol(
    cursor,
    "a field name",
    token.kind === "identifier" && keywords.has(token.text)
      ? `\`${token.text}\` is a word of the language; write .\`${token.text}\` with backquotes, or ["${token.text}"]`
      : token.kind === "string"
        ? 'a key that is no name is written `map["key"]`'
        : undefined,
  );
}

/** The maximum number of characters of a token shown in an error message. */
const longestShown = 40;

const show = (token: Token): string => `\`${token.text.length > longestShown ? `${token.text.slice(0, longestShown)}…` : token.text}\``;

function operatorHint(token: Token, previous: Token | undefined): string | undefined {
  if (token.kind === "identifier") return operatorHints.get(token.text);
  if (token.kind === "symbol" && token.text === "?" && previous?.text === "?")
    return "a default is written `a.?b.orValue(c)` or `has(a.b) ? a.b : c`";
  if (token.kind === "symbol" && token.text === "?") return "a conditional inside a conditional needs parentheses";
  if (token.kind === "symbol" && token.text === "{") return "only the name of a message takes `{`";
  return undefined;
}

function operandHint(token: Token): string | undefined {
  if (token.kind === "quoted") return "a backquoted name only follows a `.`";
  switch (token.text) {
    case "+":
      return "there is no unary `+`";
    case "*":
      return "there is neither a power operator nor a `/* comment */`; a comment starts with `//`";
    case "?":
      return "`?` marks an optional element inside brackets, or stands between a condition and its two values";
    case ")":
    case "]":
    case "}":
      return "a value is missing before it, or a comma is too many";
    case "=":
    case "==":
      return "`==` compares two values";
    case "in":
      return "`in` stands between a value and a list or map";
    default:
      return undefined;
  }
}
