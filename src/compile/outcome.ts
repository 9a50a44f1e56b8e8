/** What is told of a store: a set that compiles, one that does not, or why nothing could be read. */
import type { Bundle } from "../../runtime/bundle.ts";
import type { Finding } from "./compile-set.ts";
import type { SchemaFiles } from "../schemas/load.ts";
import type { Difference, StoreState } from "./store-state.ts";

/** What came of one look at the store. Plain data, but for a text that is written while it is read: it crosses a thread. */
export type Outcome =
  | Good
  | Broken
  /** `again`: for the same reason as when it was asked before. */
  | { readonly kind: "unreachable"; readonly message: string; readonly again?: true }
  /** Something that whoever runs the server should know. */
  | { readonly kind: "remark"; readonly message: string };

/** A set that does not compile. */
export interface Broken {
  readonly kind: "broken";
  /** The errors. */
  readonly findings: readonly Finding[];
  /** Absent where nothing was compiled, because it is the same set as the one before. */
  readonly compileMilliseconds?: number;
  /** It was another one before anybody had to be told: of a file that was being written. */
  readonly passed?: true;
}

/** A set that compiles: the first whole, the next ones as what is different. */
export interface Good extends Difference {
  readonly kind: "set" | "change";
  /** JSON of a `Bundle`, or of a `BundleChange`: the pieces of one text. */
  readonly text: Iterable<string>;
  readonly digest: string;
  readonly policies: number;
  /** The first of those that were not told with the set before. */
  readonly warnings: readonly Finding[];
  /** Absent where nothing was compiled here. */
  readonly compileMilliseconds?: number;
  /** Present when they are not the same as before, or the set is whole. */
  readonly schemas?: SchemaFiles;
}

/** Tells a set from all else. */
export const isGood = (outcome: Outcome): outcome is Good => outcome.kind === "set" || outcome.kind === "change";

/** A set as it was told, so that the next can be told as a change. */
export interface Told {
  readonly bundle: Bundle;
  readonly good: Good;
  /** Absent where they were not read. */
  readonly sources?: StoreState["sources"];
}
