/** Patterns of one policy: what each matches, and the number by which rows name it. */
import { matchesGlob, type Match } from "../../runtime/decide/glob.ts";

/** Numbers patterns in order of first mention; the same pattern has the same number. */
export function numberPatterns(): { readonly all: () => readonly string[]; readonly number: (pattern: string) => number } {
  const numbers = new Map<string, number>();
  const all: string[] = [];
  return {
    all: () => all.slice(),
    number(pattern) {
      const known = numbers.get(pattern);
      if (known !== undefined) return known;
      numbers.set(pattern, all.length);
      return all.push(pattern) - 1;
    },
  };
}

/** Returns what a pattern matches: it is a glob only if it contains `*` (semantics 4.2). */
export function matchOf(pattern: string): Match {
  if (pattern === "*") return { kind: "any" };
  return pattern.includes("*") ? { kind: "glob", pattern } : { kind: "exact", value: pattern };
}

/** Returns the pattern that matches so: what `matchOf` was given. */
export function patternOf(match: Match): string {
  switch (match.kind) {
    case "any":
      return "*";
    case "exact":
      return match.value;
    case "glob":
      return match.pattern;
  }
}

/** Returns what an action that a role may do matches: its text, and what that is as a glob, with or without `*` (semantics 4.2). */
export function matchesOfAllowed(action: string): readonly Match[] {
  if (action === "*") return [{ kind: "any" }];
  const exact: Match = { kind: "exact", value: action };
  if (!/[*?[\]{}\\]/.test(action)) return [exact];
  const glob: Match = { kind: "glob", pattern: action };
  // `view:*` matches its own text already; `{a,b}` does not.
  return matchesGlob(action, action) ? [glob] : [exact, glob];
}
