/** The gRPC status codes that a check can return, and their encoding as the first character of an answer. */

export const code = {
  ok: 0,
  invalidArgument: 3,
  internal: 13,
  unavailable: 14,
} as const;

/** One of those status codes. */
export type Code = (typeof code)[keyof typeof code];

/** Encodes a code as one base-36 digit; every gRPC code (0 to 16) fits. */
export const codeCharacter = (value: Code): string => value.toString(36);
