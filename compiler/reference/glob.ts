/** Matches globs (semantics 4.2): computes part by part the set of offsets at which a match can end. */

/** Whether a string matches a glob, with the full syntax. */
export function matchesGlob(pattern: string, text: string): boolean {
  if (pattern === "*") return true;
  const parts = parse([...pattern]);
  const characters = [...text];
  return parts !== undefined && endsOf(parts, characters, new Set([0])).has(characters.length);
}

type Part =
  | { readonly kind: "one"; readonly accepts: (character: string) => boolean }
  | { readonly kind: "many"; readonly accepts: (character: string) => boolean }
  | { readonly kind: "either"; readonly of: readonly (readonly Part[])[] };

const any = (): boolean => true;
const notColon = (character: string): boolean => character !== ":";

/** Returns the offsets at which a match of all parts, in sequence, can end if it begins at one of `starts`. */
function endsOf(parts: readonly Part[], text: readonly string[], starts: ReadonlySet<number>): ReadonlySet<number> {
  return parts.reduce((from, part) => endsOfPart(part, text, from), starts);
}

function endsOfPart(part: Part, text: readonly string[], starts: ReadonlySet<number>): ReadonlySet<number> {
  const ends = new Set<number>();
  for (const start of starts) {
    switch (part.kind) {
      case "one": {
        const character = text[start];
        if (character !== undefined && part.accepts(character)) ends.add(start + 1);
        break;
      }
      case "many": {
        ends.add(start);
        for (let at = start; at < text.length && part.accepts(text[at] ?? ""); at++) ends.add(at + 1);
        break;
      }
      case "either": {
        for (const option of part.of) for (const end of endsOf(option, text, new Set([start]))) ends.add(end);
        break;
      }
    }
  }
  return ends;
}

/** Parses a glob. Returns undefined if a character class is ill-formed: the glob then matches nothing. */
function parse(pattern: readonly string[]): readonly Part[] | undefined {
  let at = 0;

  function sequence(inBraces: boolean): readonly Part[] | undefined {
    const parts: Part[] = [];
    const ends = (character: string | undefined): boolean =>
      character === undefined || (inBraces && (character === "," || character === "}"));
    while (!ends(pattern[at])) {
      const part = next();
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return parts;
  }

  function next(): Part | undefined {
    const character = pattern[at++] ?? "";
    switch (character) {
      case "*": {
        let stars = 1;
        for (; pattern[at] === "*"; at++) stars++;
        return { kind: "many", accepts: stars > 1 ? any : notColon };
      }
      case "?":
        return { kind: "one", accepts: notColon };
      case "[":
        return characterClass();
      case "{":
        return alternatives();
      case "\\":
        // A trailing backslash is ignored.
        return at < pattern.length ? literal(pattern[at++] ?? "") : { kind: "either", of: [[]] };
      default:
        return literal(character);
    }
  }

  // An unclosed alternative ends with the pattern: `{a` is `{a}`.
  function alternatives(): Part | undefined {
    const of: (readonly Part[])[] = [];
    do {
      const option = sequence(true);
      if (option === undefined) return undefined;
      of.push(option);
    } while (pattern[at++] === ",");
    return { kind: "either", of };
  }

  function characterClass(): Part | undefined {
    const negated = pattern[at] === "!";
    if (negated) at++;
    const [low = "", dash, high = "", close] = pattern.slice(at, at + 4);
    if (dash === "-") {
      at += 4;
      const [least, most] = [codePoint(low), codePoint(high)];
      if (close !== "]" || least > most) return undefined;
      return { kind: "one", accepts: (character) => (codePoint(character) >= least && codePoint(character) <= most) !== negated };
    }
    const inside: string[] = [];
    for (; at < pattern.length && pattern[at] !== "]"; at++) {
      if (pattern[at] === "\\") at++;
      inside.push(pattern[at] ?? "");
    }
    if (inside.length === 0 || pattern[at++] !== "]") return undefined;
    return { kind: "one", accepts: (character) => inside.includes(character) !== negated };
  }

  return sequence(false);
}

// Ranges compare code points: by UTF-16 code units, characters above U+FFFF would come before U+E000.
const codePoint = (character: string): number => character.codePointAt(0) ?? 0;

const literal = (character: string): Part => ({ kind: "one", accepts: (other) => other === character });
