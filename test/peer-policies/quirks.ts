/** Kinds of stores that are made now and then to meet one difference that is meant to be; all other stores are plain. */
import type { Random } from "../agree/random.ts";

/** What is special about a store. */
export const quirks = [
  "role wildcards",
  "globs without a star",
  "words of role rules",
  "empty output",
  "missing global",
  "failing variables",
  "merge",
  "equal names",
  "derived roles in principal policies",
  "principal versions",
  "kind patterns",
  "mixed permissions",
  "overlapping role rules",
  "missing ancestors",
  "not a number",
  "unconvertible output",
  "unchecked files",
  "actions like patterns",
] as const;

export type Quirk = (typeof quirks)[number];

/** Two stores in three are plain; no store has two quirks. */
export const pickQuirk = (random: Random): Quirk | undefined => (random.chance(0.68) ? undefined : random.pick(quirks));
