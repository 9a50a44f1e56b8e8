/** Refuses a program, with position and description. */

/** Thrown when a program is refused. */
export interface Refused {
  readonly refused: string;
}

/** The refusal of the text at an offset. */
export function refusalAt(text: string, at: number, what: string): string {
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  const column = at - before.lastIndexOf("\n");
  return `line ${line}, column ${column}: ${what}, which the program of a unit may not hold`;
}

/** Throws the refusal of the text at an offset. */
export function refuse(text: string, at: number, what: string): never {
  const refused: Refused = { refused: refusalAt(text, at, what) };
  // Not an Error, because nobody needs its stack.
  throw refused;
}

/** Whether something thrown is a refusal. */
export const isRefused = (thrown: unknown): thrown is Refused => typeof thrown === "object" && thrown !== null && "refused" in thrown;

/** Quotes a piece of a program for a message; non-printable characters are escaped, because the program is untrusted. */
export const shown = (piece: string): string =>
  `\`${piece.slice(0, 40).replaceAll(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)}\``;
