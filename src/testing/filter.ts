/** Selects the tests to run: `suite=orders*;action=view,edit` (docs/testing.md). */
import { openGlob } from "../../runtime/decide/glob.ts";
import { refusal } from "../refusal.ts";

/** The names that filters match. */
export interface FilterNames {
  readonly suite: string;
  readonly test: string;
  readonly principal: string;
  readonly resource: string;
  readonly action: string;
}

/** Returns whether something is to be run. Names that are not known yet are left out, and match. */
export type TestFilter = (names: Partial<FilterNames>) => boolean;

const dimensions: readonly (keyof FilterNames)[] = ["suite", "test", "principal", "resource", "action"];
const isDimension = (name: string): name is keyof FilterNames => dimensions.some((each) => each === name);

type Patterns = ReadonlyMap<keyof FilterNames, readonly ((name: string) => boolean)[]>;

/**
 * Parses the filters of the command line. Patterns of one dimension are alternatives; a dimension without patterns matches everything.
 * Throws a refusal when a filter is malformed.
 */
export function readFilters(written: readonly string[]): TestFilter {
  // An empty filter, as from an unset variable, matches everything.
  const filters = written.filter((filter) => filter.trim() !== "").map(readFilter);
  const patterns: Patterns = new Map(dimensions.map((dimension) => [dimension, filters.flatMap((filter) => filter.get(dimension) ?? [])]));
  return (names) =>
    [...patterns].every(([dimension, globs]) => {
      const name = names[dimension];
      return globs.length === 0 || name === undefined || globs.some((matches) => matches(name));
    });
}

/** A comma separates patterns of the same dimension, unless another dimension follows. */
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
