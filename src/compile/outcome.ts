/** The outcomes that are posted for a store: a set that compiles, one that does not, or why it could not be read. */
import type { Bundle } from "../../runtime/bundle.ts";
import type { Finding } from "./compile-set.ts";
import type { SchemaFiles } from "../schemas/load.ts";
import type { ChangeCounts, StoreState } from "./store-state.ts";

/**
 * The outcome of one reading of the store. It is sent between threads: plain data, except for the JSON that is generated while it is
 * read.
 */
export type Outcome =
  | GoodOutcome
  | BrokenOutcome
  /** `again`: the reason is the same as at the previous attempt. */
  | { readonly kind: "unreachable"; readonly message: string; readonly again?: true }
  /** A remark for the operator. */
  | { readonly kind: "remark"; readonly message: string };

/** A set that does not compile. */
export interface BrokenOutcome {
  readonly kind: "broken";
  /** The errors. */
  readonly findings: readonly Finding[];
  /** Absent when nothing was compiled, because the set is the same as before. */
  readonly compileMilliseconds?: number;
  /** The set was fixed within the grace period, as when a file was being written. */
  readonly passed?: true;
}

/** A set that compiles: the first as a whole, later ones as a change. */
export interface GoodOutcome extends ChangeCounts {
  readonly kind: "set" | "change";
  /** The JSON of a `Bundle` or a `BundleChange`, in pieces. */
  readonly text: Iterable<string>;
  readonly digest: string;
  readonly policies: number;
  /** The first of the warnings that are new since the previous set. */
  readonly warnings: readonly Finding[];
  /** Absent when nothing was compiled. */
  readonly compileMilliseconds?: number;
  /** Present when schemas have changed, or the set is whole. */
  readonly schemas?: SchemaFiles;
}

/** Returns whether an outcome is a set. */
export const isGoodOutcome = (outcome: Outcome): outcome is GoodOutcome => outcome.kind === "set" || outcome.kind === "change";

/** A set that was posted, as the base of the next change. */
export interface PostedSet {
  readonly bundle: Bundle;
  readonly good: GoodOutcome;
  /** Absent when they were not read. */
  readonly sources?: StoreState["sources"];
}
