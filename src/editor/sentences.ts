/** Finds the sentence of a field: the longest end of its path that a table has. */
import type { Describe } from "./json-schema.ts";

/** Ends of paths, and what the fields there are for. */
export interface Sentences {
  readonly [path: string]: string;
}

/** Looks fields up in a table. */
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
