/** Finds the description of a field: the longest suffix of its path that a table contains. */
import type { Describe } from "./json-schema.ts";

/** Descriptions by suffixes of paths. */
export interface Sentences {
  readonly [path: string]: string;
}

/** Returns a function that looks fields up in a table. */
export const lookUp =
  (sentences: Sentences): Describe =>
  (path) => {
    const steps = path.split(".");
    for (let from = 0; from < steps.length; from++) {
      const end = steps.slice(from).join(".");
      if (Object.hasOwn(sentences, end)) return sentences[end];
    }
    return undefined;
  };
