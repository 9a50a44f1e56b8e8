/** The patterns by which administrators filter policies: RE2's, found anywhere in a name, in time that grows with its length. */
import { EvalError } from "../../runtime/cel/error.ts";
import { matchesPattern } from "../../runtime/cel/regex.ts";
import { inBackticks } from "../../runtime/wire/position.ts";

/** Says what is wrong with a pattern, and where; undefined when nothing is. */
export function patternProblem(pattern: string): string | undefined {
  const found = matchesPattern("", pattern);
  if (!(found instanceof EvalError)) return undefined;
  const said = found.message.replace(/^(?:invalid argument|out of range): /, "");
  // The port names the part of the pattern that it could not read, and not where that is.
  const [, what, part] = /^error parsing regexp: ([^]*): `([^]*)`$/.exec(said) ?? [];
  if (what === undefined || part === undefined)
    return said.startsWith("pattern") ? `the ${said}` : `the pattern is not a regular expression of RE2: ${said}`;
  const at = part === "" ? pattern.length : pattern.indexOf(part);
  const where = at === -1 ? "" : ` at character ${Array.from(pattern.slice(0, at)).length + 1}`;
  return `the pattern is not a regular expression of RE2: ${what}${where}${part === "" ? "" : `: ${inBackticks(part)}`}`;
}

/** Is the pattern found in the text? A pattern with a problem is found nowhere. */
export const isFound = (pattern: string, text: string): boolean => matchesPattern(text, pattern) === true;
