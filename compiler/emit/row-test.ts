/** Emits how a row recognises an action or a role. */
import type { Match } from "../table/table.ts";
import { type Code, js, terms } from "./code.ts";
import type { Factory } from "./scope.ts";

/** Beyond so many names a set is asked. */
const many = 6;

/** Code that is true when the text that `subject` reads matches one of these; undefined when everything does. */
export function matchesAny(subject: Code, matches: readonly Match[], factory: Factory, hint: string): Code | undefined {
  if (matches.some((match) => match.kind === "any")) return undefined;
  const exact = matches.flatMap((match) => (match.kind === "exact" ? [match.value] : []));
  const globs = matches.flatMap((match) => (match.kind === "glob" ? [match.pattern] : []));
  const tests = exact.length > many
    ? [js`${factory.hoist(hint, js`new Set(${exact})`)}.has(${subject})`]
    : exact.map((value) => js`${subject} === ${value}`);
  const patterns = globs.map((pattern) => js`${factory.hoist(`${hint} ${pattern}`, js`rt.glob(${pattern})`)}(${subject})`);
  const all = [...tests, ...patterns];
  return all.length === 0 ? js`false` : terms("||", all);
}
