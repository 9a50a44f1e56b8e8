/** The tree of a generated program and the js`` template that builds it: text is trusted, every hole is data unless it is a tree already. */
import type { Span } from "../source.ts";
import { invariant } from "../../runtime/cel/error.ts";
import type { Constant } from "./escape.ts";

// What no data can hold: the thing itself, not what it looks like.
const ours = Object.freeze({ code: true });

interface Ours {
  readonly ours: typeof ours;
}

/** A piece of program. Only the functions of this file make one, so data that looks like one is still data. */
export type Code = Piece & Ours;

/** What a tree is made of. */
export type Piece =
  /** Trusted text from a template. */
  | { readonly kind: "text"; readonly text: string }
  /** Data that differs between policies: a literal for people, `k0`, `k1` ... for the machine. */
  | { readonly kind: "constant"; readonly value: Constant }
  /** Data that belongs to the shape (an attribute's name): a literal in both prints. */
  | { readonly kind: "quoted"; readonly value: string }
  /** The member of that name: `.owner`, or `["two words"]`. It belongs to the shape too. */
  | { readonly kind: "member"; readonly name: string }
  /** An identifier; the printer chooses its letters. */
  | { readonly kind: "name"; readonly name: Name }
  /** The number under which the value of a function is remembered; the printer counts them. */
  | { readonly kind: "variable"; readonly name: Name }
  /** Words for people, on a line of their own. */
  | { readonly kind: "comment"; readonly words: () => string; readonly at?: Span }
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
  readonly oursToo: typeof oursToo;
}

const oursToo = Object.freeze({ name: true });

/** Tells a tree from data. */
export const isCode = (value: unknown): value is Code =>
  typeof value === "object" && value !== null && "ours" in value && value.ours === ours;

const isName = (value: unknown): value is Name =>
  typeof value === "object" && value !== null && "oursToo" in value && value.oursToo === oursToo;

/** Makes an identifier that nothing else in the program shares; `hint` is what people would call it. */
export const newName = (hint: string): Name => ({ hint, oursToo });

/** Builds a tree from trusted text and holes; a hole that is neither a tree nor a name is data and is quoted, always. */
export function js(template: TemplateStringsArray, ...holes: readonly (Code | Name | Constant)[]): Code {
  const texts = textsOf(template);
  if (holes.length === 0) return texts[0] ?? nothing;
  const parts: Code[] = [];
  for (let at = 0; at < texts.length; at++) {
    const text = texts[at];
    if (text !== undefined && text !== nothing) parts.push(text);
    if (at < holes.length) parts.push(hole(holes[at]));
  }
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: "sequence", parts, ours };
}

const nothing: Code = { kind: "sequence", parts: [], ours };

/** The pieces of text of a template, made once: the same template is built many times. */
function textsOf(template: TemplateStringsArray): readonly Code[] {
  const known = knownTexts.get(template);
  if (known !== undefined) return known;
  const texts = template.map((text): Code => {
    invariant(!text.includes("\n"), "line ends are made by lines() and block()");
    return text === "" ? nothing : { kind: "text", text, ours };
  });
  knownTexts.set(template, texts);
  return texts;
}

const knownTexts = new WeakMap<TemplateStringsArray, readonly Code[]>();

function hole(value: Code | Name | Constant | undefined): Code {
  invariant(value !== undefined, "a hole holds something");
  if (isCode(value)) return value;
  if (isName(value)) return { kind: "name", name: value, ours };
  return { kind: "constant", value, ours };
}

/** Data that stays in the text of both prints, quoted: names of attributes and of functions. */
export const quoted = (value: string): Code => ({ kind: "quoted", value, ours });

/** `.name` behind an object, or `["name"]` where a dot will not do. */
export const member = (name: string): Code => ({ kind: "member", name, ours });

/** A line of words for people, made when somebody reads them; `at` is what the lines after it are made of. */
export const comment = (words: () => string, at?: Span): Code => ({ kind: "comment", words, ours, ...(at !== undefined && { at }) });

/** A pause for the eye. */
export const emptyLine: Code = comment(() => "");

/** A whole number that belongs to the shape: an index, not a datum of the policy. */
export function digits(value: number): Code {
  invariant(Number.isSafeInteger(value) && value >= 0, "an index is a whole number");
  return { kind: "text", text: String(value), ours };
}

/** The number of a variable: one for each function, in the order in which a print comes to them. */
export const numberOf = (name: Name): Code => ({ kind: "variable", name, ours });

/** Statements, one a line. */
export const lines = (...parts: readonly Code[]): Code => ({ kind: "lines", parts, ours });

/** A braced body: `open`, the lines one step deeper, `close`. */
export const block = (open: Code, body: readonly Code[], close: Code): Code => ({ kind: "block", open, body, close, ours });

/** Terms joined by an operator or a comma, broken over lines when they are many. */
export function terms(operator: string, parts: readonly Code[]): Code {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  // `a && (b && c)` is `a && b && c`.
  const flat =
    operator === "," ? parts : parts.flatMap((part) => (part.kind === "terms" && part.operator === operator ? part.parts : [part]));
  return { kind: "terms", operator, parts: flat, ours };
}

/** Arguments and elements: `a, b, c`. */
export const list = (parts: readonly Code[]): Code => (parts.length === 0 ? { kind: "sequence", parts, ours } : terms(",", parts));

/** Where the machine's print declares its constants. */
export const constants: Code = { kind: "constants", ours };

/** Says whether a piece stands somewhere in a program. */
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
