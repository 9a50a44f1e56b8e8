/** Converts bundles to messages for the sandbox: the first as a whole, each later one as a change from the one before. */
import type { BundleSet } from "../bundle/set.ts";
import { bundleChange } from "../compile/bundle-change.ts";
import type { Finding } from "../compile/compile-set.ts";
import type { GoodOutcome } from "../compile/outcome.ts";
import type { ChangeCounts } from "../compile/store-state.ts";
import { bundleInPieces, changeInPieces, textInPieces } from "../texts/in-pieces.ts";

/** What has been posted, and how the next bundle is encoded. */
export interface BundleEncoder {
  /** Returns the message for a bundle, which becomes the last one posted. `text` is its JSON, if that is at hand. */
  readonly next: (set: BundleSet, remarks: readonly string[], text?: string) => GoodOutcome;
  /** Returns the message for the last bundle as a whole; undefined before the first. */
  readonly wholeSet: () => GoodOutcome | undefined;
  /** The bundle that was posted last. */
  readonly last: () => BundleSet | undefined;
}

/** Opens the encoder; nothing has been posted. `place` is named in warnings; schemas are included only if `withSchemas`. */
export function openBundleEncoder({ place, withSchemas }: { readonly place: string; readonly withSchemas: boolean }): BundleEncoder {
  let posted: { readonly set: BundleSet; readonly good: GoodOutcome } | undefined;
  return {
    next: (set, remarks, text) => {
      const before = posted?.set;
      const good: GoodOutcome = {
        kind: "set",
        text: [],
        digest: set.digest,
        policies: set.policies,
        ...bundleDifference(before, set),
        warnings: remarks.map((remark) => warning(place, remark)),
        ...(withSchemas && !areSameSchemas(before?.schemas, set.schemas) && { schemas: set.schemas }),
      };
      posted = { set, good };
      if (before === undefined) return { ...good, text: text === undefined ? bundleInPieces(set.bundle()) : textInPieces(text) };
      // All digests of a bundle were recomputed when it was read, so units with equal digests are equal, whoever built them.
      return { ...good, kind: "change", text: changeInPieces(bundleChange(before.bundle(), set.bundle())) };
    },
    wholeSet: () => {
      if (posted === undefined) return undefined;
      const { set, good } = posted;
      return { ...good, warnings: [], text: bundleInPieces(set.bundle()), ...(withSchemas && { schemas: set.schemas }) };
    },
    last: () => posted?.set,
  };
}

/** Counts the policies that differ; a difference in a unit counts for all policies in it. */
export function bundleDifference(before: BundleSet | undefined, now: BundleSet | undefined): ChangeCounts {
  if (before === now) return { created: 0, updated: 0, deleted: 0 };
  if (before === undefined) return { created: now?.deciding ?? 0, updated: 0, deleted: 0 };
  const earlier = digestsByKey(before);
  const later = digestsByKey(now);
  const created = [...later.keys()].filter((key) => !earlier.has(key)).length;
  const updated = [...later].filter(([key, digest]) => earlier.has(key) && earlier.get(key) !== digest).length;
  return { created, updated, deleted: earlier.size - (later.size - created) };
}

const digestsByKey = (set: BundleSet | undefined): ReadonlyMap<string, string> =>
  new Map(set?.bundle().units.flatMap(({ digest, scopes }) => scopes.map(({ key }) => [key, digest] as const)));

const areSameSchemas = (left: ReadonlyMap<string, string> | undefined, right: ReadonlyMap<string, string>): boolean =>
  left?.size === right.size && [...right].every(([id, text]) => left.get(id) === text);

const warning = (place: string, message: string): Finding => ({
  severity: "warning",
  code: "bundle",
  place,
  message,
  printed: `${place}: warning bundle: ${message}`,
});
