/** When the names in rules are those of a request: kinds, roles, actions (semantics 4.2, D34). */
import { sanitise } from "../policy/names.ts";
import { matchesGlob } from "./glob.ts";

/** Says whether a name is what a pattern asks for. Without a `*` a pattern is a plain text. */
export const matchesPattern = (pattern: string, name: string): boolean =>
  pattern.includes("*") ? matchesGlob(pattern, name) : pattern === name;

/** D34: a kind, as it is written or as both are sanitised. */
export const matchesKind = (pattern: string, kind: string): boolean =>
  matchesPattern(pattern, kind) || matchesPattern(sanitise(pattern), sanitise(kind));

/** An action that a role policy lists: here a pattern is a plain text and a glob at once. */
export const matchesListed = (pattern: string, action: string): boolean => pattern === action || matchesGlob(pattern, action);
