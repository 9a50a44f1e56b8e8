/** Refusing a program: where, and what was found there. */

/** What is thrown when a program is refused. */
export interface Refused {
  readonly refused: string;
}

/** Refuses what stands at a place. */
export function refuse(text: string, at: number, what: string): never {
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  const column = at - before.lastIndexOf("\n");
  const refused: Refused = { refused: `line ${line}, column ${column}: ${what}, which the program of a unit may not hold` };
  // No error: nobody looks at its stack.
  throw refused;
}

/** Tells a refusal from what else may be thrown. */
export const isRefused = (thrown: unknown): thrown is Refused => typeof thrown === "object" && thrown !== null && "refused" in thrown;

/** A piece of a program in a sentence: it is somebody else's, and may not move anybody's cursor. */
export const shown = (piece: string): string =>
  `\`${piece.slice(0, 40).replaceAll(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)}\``;
