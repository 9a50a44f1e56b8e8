/** The interface of stores of compiled policies: each holds one bundle, built elsewhere. */
import type { BundleSet } from "../bundle/set.ts";

/** A store of one bundle. */
export interface BundleStore {
  /** Where it comes from, for messages. */
  readonly name: string;
  /**
   * Returns the bundle, with its signature verified, if it changed since the last call; the first call always returns it. Rejects with
   * a refusal when there is no usable bundle. `thorough`: check again even if nothing seems to have changed.
   */
  readonly read: (thorough?: boolean) => Promise<BundleReading>;
  /** Starts watching. `changed` is called whenever `read` may return something new; spurious calls are allowed. */
  readonly watch: (changed: () => void) => void;
  readonly close: () => Promise<void>;
}

/** The result of a reading. */
export type BundleReading =
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "bundle";
      /** The SHA-256 of the statement, which is the file without its last lines: policies, schemas and legend. */
      readonly digest: string;
      readonly set: BundleSet;
      /** The bundle as JSON for the sandbox; the same string that was tried. */
      readonly text: string;
      /** Remarks for the operator: sentences without a full stop. */
      readonly remarks: readonly string[];
      /** Why the location could not be read, and the last good copy was used; absent otherwise. */
      readonly staleBecause?: string;
    };
