/** Makes the source map (version 3) of a module, from its lines to positions in policies. */
import { type Span, unitPositionAt } from "../../compiler/source.ts";
import { byUnits } from "../../runtime/order.ts";

/** The source position of each line of a program. */
export type Places = readonly (Span | undefined)[];

/** The source map of a program, and its combination with the linker's source map. */
export interface LineMap {
  /** The comment to append to the program. */
  readonly comment: string;
  /** Returns the source map of the linked module, given the linker's. */
  readonly finish: (written: string, file: string) => string;
}

/** Maps each line to the policy that it was generated from. */
export function mapLines(lines: Places): LineMap {
  const paths = [...new Set(lines.flatMap((place) => place?.source.path ?? []))].toSorted(byUnits);
  const numbers = new Map(paths.map((path, number) => [path, number]));
  let before = [0, 0, 0];
  const mappings = lines.map((place) => {
    if (place === undefined) return "";
    const { line, column } = unitPositionAt(place.source, place.start);
    const now = [numbers.get(place.source.path) ?? 0, line - 1, column - 1];
    const segment = digitsOf(0) + now.map((value, at) => digitsOf(value - (before[at] ?? 0))).join("");
    before = now;
    return segment;
  });
  // The linker changes paths of sources relative to directories, so sources are numbered, and become paths again in `finish`.
  const comment = inlineMapComment({ version: 3, sources: paths.map((_, number) => `policy-${number}`), mappings: mappings.join(";") });
  return {
    comment,
    finish: (written, file) => {
      const { sources, mappings: linked }: { readonly sources: readonly string[]; readonly mappings: string } = JSON.parse(written);
      const numberOf = sources.map((source) => Number(/(?:^|\/)policy-(\d+)$/.exec(source)?.[1] ?? -1));
      return `${JSON.stringify({ version: 3, file, sources: paths, names: [], mappings: onlyPolicies(linked, numberOf) })}\n`;
    },
  };
}

function inlineMapComment(map: object): string {
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString("base64")}\n`;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Drops the segments that map to files of the runtime. `numberOf` gives the policy of each source; below 0, it is not a policy. */
function onlyPolicies(mappings: string, numberOf: readonly number[]): string {
  let [source, line, column] = [0, 0, 0];
  let before: readonly [number, number, number] = [0, 0, 0];
  return mappings
    .split(";")
    .map((row) => {
      const kept: string[] = [];
      let at = 0;
      let last = 0;
      let written = "";
      for (const segment of row === "" ? [] : row.split(",")) {
        const [across = 0, toSource, toLine = 0, toColumn = 0] = numbersOf(segment);
        at += across;
        if (toSource === undefined) continue;
        source += toSource;
        line += toLine;
        column += toColumn;
        const policy = numberOf[source] ?? -1;
        const now = policy < 0 ? "" : `${policy}:${line}:${column}`;
        // One segment for adjacent positions of the same source; an empty one where a policy's code ends.
        if (now === written) continue;
        written = now;
        const to = [policy, line, column] as const;
        kept.push(digitsOf(at - last) + (policy < 0 ? "" : to.map((value, which) => digitsOf(value - (before[which] ?? 0))).join("")));
        if (policy >= 0) before = to;
        last = at;
      }
      return kept.join(",");
    })
    .join(";");
}

/** Decodes the numbers of a segment (base64 VLQ). */
function numbersOf(segment: string): readonly number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const letter of segment) {
    const digit = alphabet.indexOf(letter);
    value |= (digit & 31) << shift;
    shift += 5;
    if (digit >= 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

/** Encodes a number as base64 VLQ: five bits per digit, the lowest first, the sign in the lowest bit. */
function digitsOf(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = "";
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += alphabet.charAt(rest > 0 ? digit | 32 : digit);
  } while (rest > 0);
  return text;
}
