/** Which tests are run: `suite=orders*;action=view,edit` (docs/testing.md). */
import { openGlob } from "../../runtime/decide/glob.ts";
import { refusal } from "../refusal.ts";

/** What a filter looks at. */
export interface FilterNames {
  readonly suite: string;
  readonly test: string;
  readonly principal: string;
  readonly resource: string;
  readonly action: string;
}

/** Says whether something is to be run; what is not known yet is left out and stands in nobody's way. */
export type TestFilter = (names: Partial<FilterNames>) => boolean;

const dimensions: readonly (keyof FilterNames)[] = ["suite", "test", "principal", "resource", "action"];
const isDimension = (name: string): name is keyof FilterNames => dimensions.some((each) => each === name);

type Patterns = ReadonlyMap<keyof FilterNames, readonly ((name: string) => boolean)[]>;

/** Reads filters as they are written on the command line: what they say of one dimension is alternatives, an empty one lets all pass. Throws a refusal that says what is wrong. */
export function readFilters(written: readonly string[]): TestFilter {
  // An empty one, as a variable leaves it that is not set, filters nothing.
  const filters = written.filter((filter) => filter.trim() !== "").map(readFilter);
  const patterns: Patterns = new Map(dimensions.map((dimension) => [dimension, filters.flatMap((filter) => filter.get(dimension) ?? [])]));
  return (names) =>
    [...patterns].every(([dimension, globs]) => {
      const name = names[dimension];
      return globs.length === 0 || name === undefined || globs.some((matches) => matches(name));
    });
}

/** A comma goes on with the dimension, unless another one begins behind it. */
const nextPart = new RegExp(`;|,(?=\\s*(?:${dimensions.join("|")})\\s*=)`, "i");

function readFilter(written: string): Patterns {
  const patterns = new Map<keyof FilterNames, ((name: string) => boolean)[]>();
  for (const part of written.split(nextPart)) {
    if (part.trim() === "") continue;
    const [name = "", ...rest] = part.split("=");
    const dimension = name.trim().toLowerCase();
    const globs = rest
      .join("=")
      .split(",")
      .map((glob) => glob.trim())
      .filter((glob) => glob !== "");
    if (!isDimension(dimension))
      throw refusal(`the test filter \`${written}\` names \`${name.trim()}\`, and there are ${dimensions.join(", ")}`);
    if (globs.length === 0)
      throw refusal(`the test filter \`${written}\` has no pattern for ${dimension}: write ${dimension}=name or ${dimension}=nam*`);
    patterns.set(dimension, [...(patterns.get(dimension) ?? []), ...globs.map(openGlob)]);
  }
  if (patterns.size === 0) throw refusal("a test filter must not be empty: suite=name;action=view,edit");
  return patterns;
}
