/** The patterns by which administrators filter policies: RE2 syntax, unanchored, in linear time. */
import { EvalError } from "../../runtime/cel/error.ts";
import { matchesPattern } from "../../runtime/cel/regex.ts";
import { inBackticks } from "../../runtime/wire/position.ts";

/** Returns what is wrong with a pattern, and where; undefined when it is valid. */
export function patternProblem(pattern: string): string | undefined {
  const found = matchesPattern("", pattern);
  if (!(found instanceof EvalError)) return undefined;
  const said = found.message.replace(/^(?:invalid argument|out of range): /, "");
  // The regex library reports the invalid part of the pattern, but not its position.
  const [, what, part] = /^error parsing regexp: ([^]*): `([^]*)`$/.exec(said) ?? [];
  if (what === undefined || part === undefined)
    return said.startsWith("pattern") ? `the ${said}` : `the pattern is not a regular expression of RE2: ${said}`;
  const at = part === "" ? pattern.length : pattern.indexOf(part);
  const where = at === -1 ? "" : ` at character ${Array.from(pattern.slice(0, at)).length + 1}`;
  return `the pattern is not a regular expression of RE2: ${what}${where}${part === "" ? "" : `: ${inBackticks(part)}`}`;
}

/** Returns whether a pattern matches anywhere in a string; an invalid pattern never does. */
export const isFound = (pattern: string, text: string): boolean => matchesPattern(text, pattern) === true;
