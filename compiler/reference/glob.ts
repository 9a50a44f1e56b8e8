/** What a pattern of an action or a role matches (semantics 4.2): the places where each part can end, part by part. */

/** Says whether a text is what a pattern asks for. Without a `*` a pattern is a plain text. */
export function matchesPattern(pattern: string, text: string): boolean {
  if (!pattern.includes("*")) return pattern === text;
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

/** Returns the places where a match of all parts, one after another, can end when it begins at one of `starts`. */
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

/** Reads a pattern; undefined when a class is ill-formed: then it matches nothing. */
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
        return literal(pattern[at++] ?? "");
      default:
        return literal(character);
    }
  }

  // An alternative left open ends with the pattern: `{a` is `{a}`.
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
    const end = pattern.indexOf("]", at + 1);
    if (end === -1) return undefined;
    const negated = pattern[at] === "!";
    const inside = pattern.slice(negated ? at + 1 : at, end);
    at = end + 1;
    const [low = "", dash, high = ""] = inside;
    if (inside.length === 3 && dash === "-") {
      return low > high ? undefined : { kind: "one", accepts: (character) => (character >= low && character <= high) !== negated };
    }
    return inside.length === 0 ? undefined : { kind: "one", accepts: (character) => inside.includes(character) !== negated };
  }

  return sequence(false);
}

const literal = (character: string): Part => ({ kind: "one", accepts: (other) => other === character });
