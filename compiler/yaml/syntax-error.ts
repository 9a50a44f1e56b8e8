/** Converts the YAML library's errors to our diagnostics, at the position where the reference implementation reports them. */
import type { ErrorCode, YAMLParseError } from "yaml";
import type { Diagnostic } from "../diagnostic.ts";
import type { Source } from "../source.ts";
import type { TokenScan } from "./scan-tokens.ts";

interface Sentence {
  readonly message: string;
  readonly hint?: string;
}

const indentation = "indent with spaces, the same number for every field of one mapping";

const neither = "write `name: value` or `- item`, or indent it deeper if it goes on with the value above";

// oxfmt-ignore
const sentences: { readonly [code in ErrorCode]?: Sentence } = {
  ALIAS_PROPS:            { message: "an alias cannot have an anchor or a tag", hint: "remove the anchor or the tag" },
  BAD_ALIAS:              { message: "an anchor or an alias needs a name", hint: "put the value in quotes if it is meant to start with `&` or `*`" },
  BAD_DIRECTIVE:          { message: "unknown YAML directive", hint: "remove the line that starts with `%`" },
  BAD_DQ_ESCAPE:          { message: "unknown escape in a double-quoted string", hint: "write `\\\\` for a backslash, or use single quotes" },
  BAD_INDENT:             { message: "wrong indentation, or a bracket that is not closed", hint: indentation },
  BAD_PROP_ORDER:         { message: "an anchor or a tag is in the wrong position", hint: "write it directly before the value" },
  BAD_SCALAR_START:       { message: "a value without quotes cannot start with this character", hint: "put the value in quotes" },
  BLOCK_AS_IMPLICIT_KEY:  { message: "a mapping cannot start in the middle of a value", hint: `put the value in quotes if it holds \`: \`, or check the indentation: ${indentation}` },
  BLOCK_IN_FLOW:          { message: "a comma is missing inside `{ }` or `[ ]`, or a mapping or list there has no brackets of its own", hint: "put a comma between fields and items, and a value that holds `: ` or starts with `- ` in quotes" },
  IMPOSSIBLE:             { message: "a key must be a string", hint: "put the key in quotes" },
  KEY_OVER_1024_CHARS:    { message: "a key cannot be longer than 1024 characters", hint: "give it a shorter name" },
  MISSING_CHAR:           { message: "neither a field nor a list item", hint: neither },
  MULTILINE_IMPLICIT_KEY: { message: "neither a field nor a list item", hint: neither },
  MULTIPLE_ANCHORS:       { message: "a value can have only one anchor", hint: "keep one of them" },
  MULTIPLE_TAGS:          { message: "a value can have only one tag", hint: "keep one of them" },
  NON_STRING_KEY:         { message: "a key must be a string", hint: "put the key in quotes" },
  TAB_AS_INDENT:          { message: "a tab cannot be used for indentation", hint: indentation },
  TAG_RESOLVE_FAILED:     { message: "this tag is not defined", hint: "remove the tag, or put the value in quotes if it is meant to start with `!`" },
  UNEXPECTED_TOKEN:       { message: "unexpected text", hint: "put the whole value in quotes, or check for a missing comma or bracket" },
};

const missingComma: Sentence = {
  message: "a comma is missing inside `{ }` or `[ ]`",
  hint: "put a comma between fields and items",
};

const misplacedLine: Sentence = {
  message: "wrong indentation: the line does not belong to anything above it",
  hint: indentation,
};

const behindItsBar: Sentence = {
  message: "a value cannot begin on the line of its `|` or `>`",
  hint: "begin it on the next line, indented deeper than its field",
};

const lineBehindComment: Sentence = {
  message: "a comment ends a value without quotes, so the line below it does not belong to anything",
  hint: "put the comment above the field, or write the whole value on lines of its own after `|-`, where comments are those of CEL: `// …`",
};

const bracketLeftOfItsValue = (bracket: string): Sentence => ({
  message: `\`${bracket}\` closes nothing: a value without quotes ends before a line that is not indented deeper than its field`,
  hint: "indent the line deeper, or write the whole value on lines of its own after `|-`",
});

/** Codes that cover several mistakes, told apart by the beginning of the library's message. */
// oxfmt-ignore
const particular: readonly (readonly [code: ErrorCode, message: string, sentence: Sentence])[] = [
  ["MISSING_CHAR",          "Missing ,",             missingComma],
  ["MISSING_CHAR",          "Comments must be",      { message: "a comment needs a space before its `#`", hint: "put a space before the `#`, or the whole value in quotes" }],
  ["MISSING_CHAR",          "Sequence item without", misplacedLine],
  ["UNEXPECTED_TOKEN",      "Block scalar header",   behindItsBar],
  ["BLOCK_AS_IMPLICIT_KEY", "A block sequence",      misplacedLine],
  ["BAD_INDENT",            "All ",                  misplacedLine],
];

/** Returns the diagnostic of the first error. `later` errors help to tell what the first is about. */
export function describeSyntaxError(error: YAMLParseError, later: readonly YAMLParseError[], source: Source, scan: TokenScan): Diagnostic {
  const [start, end] = error.pos;
  const place = (from: number, to: number) => ({
    source,
    start: Math.min(from, source.text.length),
    end: Math.min(Math.max(to, from), source.text.length),
  });

  const open = error.code === "MISSING_CHAR" && error.message.includes("closing") && scan.quoted.find((scalar) => scalar.end === start);
  if (open) return { code: "yaml-syntax", severity: "error", span: place(open.start, open.start + 1), ...unclosed(open, source) };

  const before = scan.quoted.find((scalar) => scalar.end <= start && /^[ \t]*$/.test(source.text.slice(scalar.end, start)));
  if (error.code === "UNEXPECTED_TOKEN" && before)
    return {
      code: "yaml-quoted-text",
      severity: "error",
      span: place(before.start, before.end),
      focus: place(before.start, end),
      message: "a value that starts with a quoted string cannot go on after it",
      hint: "write the whole value on a line of its own after `|-`, or put it in quotes of the other kind",
    };

  // A plain scalar continues over the line whose comma is missing: the reference implementation points at what
  // follows.
  const next = error.code === "MULTILINE_IMPLICIT_KEY" && isInBrackets(error, later) ? lastLineOf(source.text, start, end) : undefined;
  if (next !== undefined) return { code: "yaml-syntax", severity: "error", span: place(next, end), ...missingComma };

  // The reference implementation points at the character after the backslash.
  const shift = error.code === "BAD_DQ_ESCAPE" ? 1 : 0;
  const spaces = spacesOfLine(source.text, start);
  return {
    code: "yaml-syntax",
    severity: "error",
    span: place(start + shift, end + shift),
    focus: place(start + spaces, end + spaces),
    ...sentenceFor(error, source.text, start, scan),
  };
}

/** Returns the message and hint, also where the error code alone does not determine them. */
function sentenceFor({ code, message }: YAMLParseError, text: string, start: number, scan: TokenScan): Sentence {
  const character = text[start];
  if (code === "UNEXPECTED_TOKEN" && (character === "]" || character === "}") && isFirstOfFurtherLine(text, start))
    return bracketLeftOfItsValue(character);
  const known = sentences[code === "BAD_INDENT" && character === "\t" ? "TAB_AS_INDENT" : code] ?? { message: "invalid YAML" };
  if (code === "UNEXPECTED_TOKEN" && /[:-][ \t]+[|>][-+\d]*[ \t]+$/.test(text.slice(Math.max(0, start - 1_000), start)))
    return behindItsBar;
  const sentence = particular.find(([of, start]) => of === code && message.startsWith(start))?.[2] ?? known;
  const isAboutLine = sentence === misplacedLine || sentence.hint === neither;
  return isAboutLine && isBehindComment(text, start, scan) ? lineBehindComment : sentence;
}

/** Whether the text at or below `at` would go on with a value without quotes, were there no comment between the two. */
function isBehindComment(text: string, at: number, { plain }: TokenScan): boolean {
  const last = plain.reduce((last, scalar) => (scalar.end <= at && scalar.end > last.end ? scalar : last), { start: 0, end: 0 });
  const between = /^(?:[ \t]*(?:#.*)?\r?\n)+ */.exec(text.slice(last.end))?.[0];
  if (between === undefined || !between.includes("#") || last.end + between.length < at) return false;
  const rest = text.slice(last.end + between.length);
  if (/^(?:-|[\w"'.-]+:)(?:\s|$)/.test(rest)) return false;
  const indent = between.length - between.lastIndexOf("\n") - 1;
  const field = /^ *(?:- +)*/.exec(text.slice(text.lastIndexOf("\n", last.start) + 1, last.start))?.[0].length ?? 0;
  return indent > field || (indent === field && text.slice(0, last.start).endsWith(`\n${" ".repeat(field)}`));
}

const isFirstOfFurtherLine = (text: string, at: number): boolean => /\n[ \t]*$/.test(text.slice(Math.max(0, at - 1_000), at));

/** Returns the indentation of a line; 0 unless `at` is the start of a line. */
const spacesOfLine = (text: string, at: number): number =>
  at === 0 || text[at - 1] === "\n" ? (/^ +(?=\S)/.exec(text.slice(at, at + 1_000))?.[0].length ?? 0) : 0;

/** Describes an unclosed quoted scalar: it ran to the end of the source, or to a line that is indented too little. */
function unclosed(open: TokenScan["quoted"][number], { text }: Source): Sentence {
  const quote = text[open.start] ?? "";
  if (open.end >= text.trimEnd().length) return { message: "a quoted string is not closed", hint: `end it with \`${quote}\`` };
  return {
    message: "a quoted string is not closed before a line that is not indented deeper than its field",
    hint: `end it with \`${quote}\`, or indent its further lines deeper`,
  };
}

const isInBrackets = ({ message, pos }: YAMLParseError, later: readonly YAMLParseError[]): boolean =>
  message.includes("flow sequence") || later.some((other) => other.code === "BLOCK_IN_FLOW" && other.pos[0] === pos[0]);

/** Returns the offset of the first character of the last line of a range; undefined if the range has only one line. */
function lastLineOf(text: string, start: number, end: number): number | undefined {
  const lineBreak = text.slice(start, end).lastIndexOf("\n");
  return lineBreak === -1 ? undefined : start + lineBreak + 1 + text.slice(start + lineBreak + 1).search(/\S/);
}
