/**
 * The tree of a generated program, and the js`` template that builds it. Template text is trusted; every substitution is data
 * unless it is a tree already.
 */
import type { Span } from "../source.ts";
import { invariant } from "../../runtime/cel/error.ts";
import type { Constant } from "./escape.ts";

// A private object as a mark: compared by identity, so no data can imitate it.
const codeBrand = Object.freeze({ code: true });

interface Branded {
  readonly brand: typeof codeBrand;
}

/** A piece of program. Only this file can create one, so data of the same shape is still data. */
export type Code = Piece & Branded;

/** The kinds of nodes. */
export type Piece =
  /** Trusted text from a template. */
  | { readonly kind: "text"; readonly text: string }
  /** Data that differs between policies: a literal in the readable print, `k0`, `k1` ... in the machine print. */
  | { readonly kind: "constant"; readonly value: Constant }
  /** Data that belongs to the shape (an attribute's name): a literal in both prints. */
  | { readonly kind: "quoted"; readonly value: string }
  /** Access to a member: `.owner`, or `["two words"]`. Belongs to the shape too. */
  | { readonly kind: "member"; readonly name: string }
  /** An identifier; the printer chooses its spelling. */
  | { readonly kind: "name"; readonly name: Name }
  /** The number under which a function's value is cached; the printer assigns the numbers. */
  | { readonly kind: "variable"; readonly name: Name }
  /** A comment for readers, on its own line. */
  | { readonly kind: "comment"; readonly words: () => string; readonly at?: Span }
  | { readonly kind: "sequence"; readonly parts: readonly Code[] }
  /** Statements, each on its own line. */
  | { readonly kind: "lines"; readonly parts: readonly Code[] }
  /** `open`, then the body indented, then `close`. */
  | { readonly kind: "block"; readonly open: Code; readonly body: readonly Code[]; readonly close: Code }
  /** Terms separated by an operator: on one line if they fit, otherwise one a line. */
  | { readonly kind: "terms"; readonly operator: string; readonly parts: readonly Code[] }
  /** Where the machine print declares its constants. */
  | { readonly kind: "constants" };

/** An identifier of the generated program, compared by identity; `hint` is the preferred spelling. */
export interface Name {
  readonly hint: string;
  readonly brand: typeof nameBrand;
}

const nameBrand = Object.freeze({ name: true });

/** Whether a value is a tree. */
export const isCode = (value: unknown): value is Code =>
  typeof value === "object" && value !== null && "brand" in value && value.brand === codeBrand;

const isName = (value: unknown): value is Name =>
  typeof value === "object" && value !== null && "brand" in value && value.brand === nameBrand;

/** Creates a new identifier; `hint` is what readers would call it. */
export const newName = (hint: string): Name => ({ hint, brand: nameBrand });

/** Builds a tree from a template. A substitution that is neither a tree nor a name is data and is always quoted. */
export function js(template: TemplateStringsArray, ...substitutions: readonly (Code | Name | Constant)[]): Code {
  const texts = textsOf(template);
  if (substitutions.length === 0) return texts[0] ?? nothing;
  const parts: Code[] = [];
  for (let at = 0; at < texts.length; at++) {
    const text = texts[at];
    if (text !== undefined && text !== nothing) parts.push(text);
    if (at < substitutions.length) parts.push(substitution(substitutions[at]));
  }
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: "sequence", parts, brand: codeBrand };
}

const nothing: Code = { kind: "sequence", parts: [], brand: codeBrand };

/** The text parts of a template, cached, because the same templates are used many times. */
function textsOf(template: TemplateStringsArray): readonly Code[] {
  const known = knownTexts.get(template);
  if (known !== undefined) return known;
  const texts = template.map((text): Code => {
    invariant(!text.includes("\n"), "line ends are made by lines() and block()");
    return text === "" ? nothing : { kind: "text", text, brand: codeBrand };
  });
  knownTexts.set(template, texts);
  return texts;
}

const knownTexts = new WeakMap<TemplateStringsArray, readonly Code[]>();

function substitution(value: Code | Name | Constant | undefined): Code {
  invariant(value !== undefined, "a substitution holds something");
  if (isCode(value)) return value;
  if (isName(value)) return { kind: "name", name: value, brand: codeBrand };
  return { kind: "constant", value, brand: codeBrand };
}

/** Data that is quoted in the text of both prints: names of attributes and functions. */
export const quoted = (value: string): Code => ({ kind: "quoted", value, brand: codeBrand });

/** `.name` after an object, or `["name"]` if the name is not an identifier. */
export const member = (name: string): Code => ({ kind: "member", name, brand: codeBrand });

/** A comment, formatted only when printed; `at` is the source of the lines after it. */
export const comment = (words: () => string, at?: Span): Code => ({
  kind: "comment",
  words,
  brand: codeBrand,
  ...(at !== undefined && { at }),
});

/** An empty line. */
export const emptyLine: Code = comment(() => "");

/** A whole number that belongs to the shape: an index, not data of the policy. */
export function digits(value: number): Code {
  invariant(Number.isSafeInteger(value) && value >= 0, "an index is a whole number");
  return { kind: "text", text: String(value), brand: codeBrand };
}

/** The number of a cached variable: one for each function, in print order. */
export const numberOf = (name: Name): Code => ({ kind: "variable", name, brand: codeBrand });

/** Statements, each on its own line. */
export const lines = (...parts: readonly Code[]): Code => ({ kind: "lines", parts, brand: codeBrand });

/** A braced block: `open`, the body indented, `close`. */
export const block = (open: Code, body: readonly Code[], close: Code): Code => ({ kind: "block", open, body, close, brand: codeBrand });

/** Terms joined by an operator or a comma, broken over lines if they are long. */
export function terms(operator: string, parts: readonly Code[]): Code {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  // Flattens `a && (b && c)` to `a && b && c`.
  const flat =
    operator === "," ? parts : parts.flatMap((part) => (part.kind === "terms" && part.operator === operator ? part.parts : [part]));
  return { kind: "terms", operator, parts: flat, brand: codeBrand };
}

/** Arguments or elements: `a, b, c`. */
export const list = (parts: readonly Code[]): Code =>
  parts.length === 0 ? { kind: "sequence", parts, brand: codeBrand } : terms(",", parts);

/** Where the machine print declares its constants. */
export const constants: Code = { kind: "constants", brand: codeBrand };

/** Whether a piece occurs in a program. */
export function occurs(piece: Code, code: Code): boolean {
  if (code === piece) return true;
  switch (code.kind) {
    case "sequence":
    case "lines":
    case "terms":
      return code.parts.some((part) => occurs(piece, part));
    case "block":
      return occurs(piece, code.open) || occurs(piece, code.close) || code.body.some((part) => occurs(piece, part));
    case "text":
    case "constant":
    case "quoted":
    case "member":
    case "name":
    case "variable":
    case "comment":
    case "constants":
      return false;
  }
}
