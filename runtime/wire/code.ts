/** The gRPC codes that a check can end with, and how one becomes the first character of an answer. */

/** The codes, by name. */
export const code = {
  ok: 0,
  invalidArgument: 3,
  internal: 13,
  unavailable: 14,
} as const;

/** The number of a gRPC code. */
export type Code = (typeof code)[keyof typeof code];

/** Prints a code as one character: base 36, so that every gRPC code fits. */
export const codeCharacter = (value: Code): string => value.toString(36);
