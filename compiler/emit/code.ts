/** The tree of a generated program and the js`` template that builds it: text is trusted, every hole is data unless it is a tree already. */
import { invariant } from "../../runtime/cel/error.ts";
import type { Constant } from "./escape.ts";

const brand: unique symbol = Symbol("code");

/** A piece of program. Only the functions of this file make one, so data that looks like one is still data. */
export type Code = Piece & { readonly [brand]: true };

/** What a tree is made of. */
export type Piece =
  /** Trusted text from a template. */
  | { readonly kind: "text"; readonly text: string }
  /** Data that differs between policies: a literal for people, `k0`, `k1` ... for the machine. */
  | { readonly kind: "constant"; readonly value: Constant }
  /** Data that belongs to the shape (an attribute's name): a literal in both prints. */
  | { readonly kind: "quoted"; readonly value: string }
  /** An identifier; the printer chooses its letters. */
  | { readonly kind: "name"; readonly name: Name }
  /** Words for people, on a line of their own. */
  | { readonly kind: "comment"; readonly words: () => string }
  | { readonly kind: "sequence"; readonly parts: readonly Code[] }
  /** Each on a line of its own. */
  | { readonly kind: "lines"; readonly parts: readonly Code[] }
  /** `open`, then lines one step deeper, then `close`. */
  | { readonly kind: "block"; readonly open: Code; readonly body: readonly Code[]; readonly close: Code }
  /** Terms with an operator between: on one line where they fit, else one a line. */
  | { readonly kind: "terms"; readonly operator: string; readonly parts: readonly Code[] }
  /** Where the machine's print declares what its constants are called. */
  | { readonly kind: "constants" };

/** An identifier of the generated program: equal only to itself, whatever it is called. */
export interface Name {
  readonly hint: string;
  readonly [nameBrand]: true;
}

const nameBrand: unique symbol = Symbol("name");

const make = (piece: Piece): Code => ({ ...piece, [brand]: true });

/** Tells a tree from data. */
export const isCode = (value: unknown): value is Code => typeof value === "object" && value !== null && brand in value;

const isName = (value: unknown): value is Name => typeof value === "object" && value !== null && nameBrand in value;

/** Makes an identifier that nothing else in the program shares; `hint` is what people would call it. */
export const newName = (hint: string): Name => ({ hint, [nameBrand]: true });

/** Builds a tree from trusted text and holes; a hole that is neither a tree nor a name is data and is quoted, always. */
export function js(texts: TemplateStringsArray, ...holes: readonly (Code | Name | Constant)[]): Code {
  const parts: Code[] = [];
  texts.forEach((text, at) => {
    invariant(!text.includes("\n"), "line ends are made by lines() and block()");
    if (text !== "") parts.push(make({ kind: "text", text }));
    if (at < holes.length) parts.push(hole(holes[at]));
  });
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : make({ kind: "sequence", parts });
}

function hole(value: Code | Name | Constant | undefined): Code {
  invariant(value !== undefined, "a hole holds something");
  if (isCode(value)) return value;
  if (isName(value)) return make({ kind: "name", name: value });
  return make({ kind: "constant", value });
}

/** Data that stays in the text of both prints, quoted: names of attributes and of functions. */
export const quoted = (value: string): Code => make({ kind: "quoted", value });

/** A line of words for people, made when somebody reads them. */
export const comment = (words: () => string): Code => make({ kind: "comment", words });

/** A pause for the eye. */
export const emptyLine: Code = comment(() => "");

/** A whole number that belongs to the shape: an index, not a datum of the policy. */
export function digits(value: number): Code {
  invariant(Number.isSafeInteger(value) && value >= 0, "an index is a whole number");
  return make({ kind: "text", text: String(value) });
}

/** Statements, one a line. */
export const lines = (...parts: readonly Code[]): Code => make({ kind: "lines", parts });

/** A braced body: `open`, the lines one step deeper, `close`. */
export const block = (open: Code, body: readonly Code[], close: Code): Code => make({ kind: "block", open, body, close });

/** Terms joined by an operator or a comma, broken over lines when they are many. */
export function terms(operator: string, parts: readonly Code[]): Code {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  // `a && (b && c)` is `a && b && c`.
  const flat =
    operator === "," ? parts : parts.flatMap((part) => (part.kind === "terms" && part.operator === operator ? part.parts : [part]));
  return make({ kind: "terms", operator, parts: flat });
}

/** Arguments and elements: `a, b, c`. */
export const list = (parts: readonly Code[]): Code => (parts.length === 0 ? make({ kind: "sequence", parts }) : terms(",", parts));

/** Where the machine's print declares its constants. */
export const constants: Code = make({ kind: "constants" });
