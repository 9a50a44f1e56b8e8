/** Emits how a row recognises an action or a role. */
import type { Match } from "../table/table.ts";
import { type Code, js, terms } from "./code.ts";
import type { Factory } from "./scope.ts";

/** Beyond so many names a set is asked. */
const many = 6;

/** Code that is true when the action or role asked for matches one of these; undefined when everything does. */
export function matchesAny(subject: "action" | "role", matches: readonly Match[], factory: Factory): Code | undefined {
  const read = subject === "action" ? js`action` : js`role`;
  if (matches.some((match) => match.kind === "any")) return undefined;
  const exact = matches.flatMap((match) => (match.kind === "exact" ? [match.value] : []));
  const globs = matches.flatMap((match) => (match.kind === "glob" ? [match.pattern] : []));
  const tests =
    exact.length > many
      ? [js`${factory.hoist(`${subject}s`, js`new Set(${exact})`)}.has(${read})`]
      : exact.map((value) => js`${read} === ${value}`);
  const patterns = globs.map((pattern) => js`${factory.hoist(`${subject} ${pattern}`, js`rt.glob(${pattern})`)}(${read})`);
  const all = [...tests, ...patterns];
  return all.length === 0 ? js`false` : terms("||", all);
}
