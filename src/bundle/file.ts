/** The file of a bundle: what is in it, and how it is written and read. */
import type { Bundle } from "../../runtime/bundle.ts";

/** What a bundle file holds. */
export interface BundleContent {
  readonly bundle: Bundle;
  /** Schemas as JSON texts, by their ids. */
  readonly schemas: ReadonlyMap<string, string>;
  /** How many policy files it was built from. */
  readonly policies: number;
}
