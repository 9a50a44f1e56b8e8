/** Glob patterns of actions, roles and kinds (semantics 4.2), matched in time linear in the text: no backtracking, no RegExp. */
import { openGlobMachine } from "./glob-machine.ts";

/** How a name in a row is compared with a name in a request. */
export type Match =
  | { readonly kind: "any" } // `*`
  | { readonly kind: "exact"; readonly value: string } // `view`
  | { readonly kind: "glob"; readonly pattern: string }; // `view:*`

/** Says whether a text is what a match asks for. */
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

/** Says whether a text matches a glob pattern. An ill-formed pattern matches nothing. */
export const matchesGlob = (pattern: string, text: string): boolean => openGlob(pattern)(text);

/** Reads a pattern once and answers its matcher. */
export function openGlob(pattern: string): (text: string) => boolean {
  const simple = oneStar.exec(pattern);
  if (simple !== null) return openOneStar(simple[1] ?? "", simple[2] === "**" || pattern === "*", simple[3] ?? "");
  return openGlobMachine(pattern, separator);
}

/** One `*` or `**` and nothing else that means something: what nearly all patterns are. */
const oneStar = /^([^*?[\]{}\\]*)(\*\*?)([^*?[\]{}\\]*)$/;

/** Says whether a pattern is of that kind: matching it takes next to no time. */
export const isPlainGlob = (pattern: string): boolean => oneStar.test(pattern);

const separator = ":";

/** Compares beginning and end; between them there may be anything, or anything but a separator. */
const openOneStar =
  (start: string, crossesSeparators: boolean, end: string) =>
  (text: string): boolean => {
    const to = text.length - end.length;
    if (to < start.length || !text.startsWith(start) || (end !== "" && !text.endsWith(end))) return false;
    const at = crossesSeparators ? -1 : text.indexOf(separator, start.length);
    return at === -1 || at >= to;
  };
