/** Describes why a text is not JSON, for the person who wrote it: the place, what was expected there, and what to do. */
import { positionOf } from "./position.ts";
import { skipSpace, type TextProblem } from "./token.ts";

/** Returns the message for an error that `scanJson` found in a text: `line 3, column 1: expected ..., found ...: JSON has no comments`. */
export function printJsonMistake(text: string, { offset, sentence }: TextProblem): string {
  const advice = adviceFor(text, offset);
  return `${positionOf(text, offset)}: ${sentence}${advice === undefined ? "" : `: ${advice}`}`;
}

/** What people write who take JSON for another language: the text at the error, and what to do. */
const mistakes: readonly (readonly [written: RegExp, advice: string])[] = [
  [/^\uFEFF/, "remove the byte order mark"],
  [/^[\u00A0\u1680\u2000-\u200B\u202F\u205F\u3000]/, "remove the special space (only ordinary spaces, tabs and line breaks may be there)"],
  [/^(?:\/[/*]|#)/, "JSON has no comments"],
  [/^['`\u2018-\u201F]/, 'JSON has " around strings and names, and no other quotes'],
  [/^[+-]?(?:NaN|nan|Infinity|inf)\b/, "JSON has no such number: leave it out, or write null or a string"],
  [/^(?:True|TRUE|False|FALSE)\b/, "JSON has true and false in small letters"],
  [/^(?:None|Null|NULL|nil|undefined)\b/, "JSON has null for no value"],
];

function adviceFor(text: string, offset: number): string | undefined {
  if (skipSpace(text, 0) === text.length) return "the text is empty";
  if (offset >= text.length) return "the text ends too early, as if it were cut off";
  const closes = /^[\]}]/.test(text.slice(offset, offset + 1));
  if (closes && text.slice(0, offset).trimEnd().endsWith(",")) return "remove the comma before it";
  // A number's error is behind its sign.
  const from = offset > 0 && /[+-]/.test(text.charAt(offset - 1)) ? offset - 1 : offset;
  const written = text.slice(from, offset + 20);
  return mistakes.find(([pattern]) => pattern.test(written))?.[1];
}
