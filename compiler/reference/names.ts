/** Matches the names in rules with those of a request: kinds, roles, actions (semantics 4.2, D34). */
import { sanitise } from "../policy/names.ts";
import { matchesGlob } from "./glob.ts";

/** Whether a name matches a pattern. A pattern without `*` is compared literally. */
export const matchesPattern = (pattern: string, name: string): boolean =>
  pattern.includes("*") ? matchesGlob(pattern, name) : pattern === name;

/** D34: whether a kind matches a pattern, either as written or with both sanitised. */
export const matchesKind = (pattern: string, kind: string): boolean =>
  matchesPattern(pattern, kind) || matchesPattern(sanitise(pattern), sanitise(kind));

/** Whether an action matches an action in a role policy, which is compared both literally and as a glob, even without `*`. */
export const matchesListed = (pattern: string, action: string): boolean => pattern === action || matchesGlob(pattern, action);
