/** The patterns of one policy: what each matches, and the index by which rows refer to it. */
import { matchesGlob, type Match } from "../../runtime/decide/glob.ts";

/** Numbers patterns in order of first occurrence; equal patterns have the same number. */
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

/** Returns the pattern of a match: the inverse of `matchOf`. */
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

/**
 * Returns the matches of an action in a role policy: the action itself, and the action as a glob, even without `*`
 * (semantics 4.2).
 */
export function matchesOfAllowed(action: string): readonly Match[] {
  if (action === "*") return [{ kind: "any" }];
  const exact: Match = { kind: "exact", value: action };
  if (!/[*?[\]{}\\]/.test(action)) return [exact];
  const glob: Match = { kind: "glob", pattern: action };
  // The glob `view:*` already matches the string `view:*`; the glob `{a,b}` does not match `{a,b}`.
  return matchesGlob(action, action) ? [glob] : [exact, glob];
}
