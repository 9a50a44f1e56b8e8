/** What every store of compiled policies can do: it holds one bundle, made elsewhere. */
import type { BundleSet } from "../bundle/set.ts";

/** A place that holds a bundle. */
export interface BundleStore {
  /** Where it comes from, for people. */
  readonly name: string;
  /** Returns the bundle, its signature checked, when it is another than at the call before; the first call returns it in any case. Rejects, with a refusal, when there is none that may be used. `thorough`: ask again also when nothing looks new. */
  readonly read: (thorough?: boolean) => Promise<BundleReading>;
  /** Starts to watch; calls back, as often as it likes, when `read` may have something new. */
  readonly watch: (changed: () => void) => void;
  readonly close: () => Promise<void>;
}

/** What came of a reading. */
export type BundleReading =
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "bundle";
      /** SHA-256 of the file but for its last lines: policies, schemas and all. */
      readonly digest: string;
      readonly set: BundleSet;
      /** What is to be put in force, as JSON: the very text that was tried. */
      readonly text: string;
      /** What an operator should know of it: sentences without a full stop. */
      readonly remarks: readonly string[];
      /** Present when the place itself could not be asked, and this is the last good copy: why. */
      readonly staleBecause?: string;
    };
