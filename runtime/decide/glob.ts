/** Glob patterns of actions, roles and kinds (semantics 4.2), matched in linear time, without backtracking or RegExp. */
import { openGlobMachine } from "./glob-machine.ts";

/** How a name in a row is compared with a name in a request. */
export type Match =
  | { readonly kind: "any" } // `*`
  | { readonly kind: "exact"; readonly value: string } // `view`
  | { readonly kind: "glob"; readonly pattern: string }; // `view:*`

/** Whether a string satisfies a match. */
export function matches(match: Match, text: string): boolean {
  switch (match.kind) {
    case "any":
      return true;
    case "exact":
      return match.value === text;
    case "glob":
      return matchesGlob(match.pattern, text);
  }
}

/** Whether a string matches a glob pattern. An invalid pattern matches nothing. */
export const matchesGlob = (pattern: string, text: string): boolean => openGlob(pattern)(text);

/** Compiles a pattern and returns its matcher. */
export function openGlob(pattern: string): (text: string) => boolean {
  const simple = oneStar.exec(pattern);
  if (simple !== null) return openOneStar(simple[1] ?? "", simple[2] === "**" || pattern === "*", simple[3] ?? "");
  return openGlobMachine(pattern, separator);
}

/** One `*` or `**` and no other special character: nearly all patterns. */
const oneStar = /^([^*?[\]{}\\]*)(\*\*?)([^*?[\]{}\\]*)$/;

/** Whether a pattern has that form, which is very cheap to match. */
export const isPlainGlob = (pattern: string): boolean => oneStar.test(pattern);

const separator = ":";

/** Compares prefix and suffix. The part between may be anything, or anything without a separator. */
const openOneStar =
  (start: string, crossesSeparators: boolean, end: string) =>
  (text: string): boolean => {
    const to = text.length - end.length;
    if (to < start.length || !text.startsWith(start) || (end !== "" && !text.endsWith(end))) return false;
    const at = crossesSeparators ? -1 : text.indexOf(separator, start.length);
    return at === -1 || at >= to;
  };
