/** What the reference answers to one line: a value as it prints it, an error of evaluation, or a refusal to compile. */
import type { ErrorKind } from "../../runtime/cel/error.ts";

/** One answer. `set` is a definition that was taken. */
export type Answer =
  | { readonly kind: "value"; readonly text: string }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "set" }
  /** It ended, or said something that is none of the above. */
  | { readonly kind: "unreadable"; readonly message: string };

/** Reads what stands between two prompts. */
export function readAnswer(text: string): Answer {
  if (text.startsWith("_ = ")) return { kind: "value", text: text.slice(4) };
  if (text.startsWith("ERROR: ")) return { kind: "refused", message: text };
  const failed = "Error: Failed to process input\n ";
  if (text.startsWith(failed)) return { kind: "error", message: text.slice(failed.length) };
  if (/^\w+ = /.test(text)) return { kind: "set" };
  return { kind: "unreadable", message: text };
}

/** The kinds that an error's text names, by what the text holds; the first that fits. */
const kinds: readonly (readonly [RegExp, readonly ErrorKind[]])[] = [
  [/^division by zero/, ["division by zero"]],
  [/^modulus by zero/, ["modulus by zero"]],
  [/integer overflow/, ["integer overflow"]],
  [/^no such key/, ["no such key"]],
  [/^index out of bounds/, ["index out of bounds"]],
  [/no such overload/, ["no such overload"]],
  [/^undefined field/, ["undefined field"]],
];

/** Returns the kinds that may stand for an error of the reference; undefined where its text does not tell. */
export const kindsOf = (message: string): readonly ErrorKind[] | undefined => kinds.find(([text]) => text.test(message))?.[1];
