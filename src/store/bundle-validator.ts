/**
 * Validates bundle files: every field is checked, and the bundle is loaded for trial. A file that passed is recognised at the next
 * start.
 */
import { readContent } from "../bundle/file.ts";
import type { Frame } from "../bundle/frame.ts";
import { knownSet, setOf, type SetAndText } from "../bundle/set.ts";
import type { Trust } from "../bundle/verify.ts";
import { isRefusal } from "../refusal.ts";
import type { Trials } from "../trial/trial.ts";
import type { LastValidated } from "./bundle-last-validated.ts";

/** The validator. */
export interface BundleValidator {
  /** Finds out, before the first file is read, which file need not be validated again. */
  readonly begin: () => Promise<void>;
  /**
   * Returns the set of a file; throws a refusal when it must not be used. `isFirst`: no set is in force yet. `thorough`: run the trial
   * even if this file failed it recently.
   */
  readonly setIn: (file: Frame, trust: Trust, how: { readonly isFirst: boolean; readonly thorough: boolean }) => Promise<SetAndText>;
}

/** Opens the validator; without `trials`, nothing is tried. */
export function openBundleValidator(lastValidated: LastValidated, trials: Trials | undefined): BundleValidator {
  const refusals = openRefusals();
  /** During the start: the digest of the file that need not be validated again. */
  let known: string | undefined;

  /** A file that failed recently is not tried at each poll, because the result would be the same. A thorough reading tries it again. */
  const tryOut = async (text: string, digest: string, thorough: boolean): Promise<void> => {
    const before = thorough ? undefined : refusals.of(digest);
    if (before !== undefined) throw before;
    try {
      await trials?.tryOut(text);
    } catch (error) {
      if (isRefusal(error)) refusals.keep(digest, error);
      throw error;
    }
  };
  return {
    begin: async () => {
      known = await lastValidated.last();
      if (known === undefined) trials?.prepare(); // Otherwise the known file is most likely still there.
    },
    setIn: async (file, trust, { isFirst, thorough }) => {
      const remembers = trials !== undefined && trust.kind === "keys";
      if (remembers && isFirst && file.digest === known) return knownSet(file.statement);
      const found = setOf(readContent(file.statement));
      await tryOut(found.text, file.digest, thorough);
      if (remembers) await lastValidated.keep(file.digest);
      return found;
    },
  };
}

/** How many milliseconds a failed trial is remembered. It may have failed only because the machine was busy. */
const refusalMilliseconds = 60_000;

/** Remembers the last failed trial for a while. */
function openRefusals(): { readonly of: (digest: string) => Error | undefined; readonly keep: (digest: string, why: Error) => void } {
  let kept: { readonly digest: string; readonly why: Error; readonly at: number } | undefined;
  return {
    of: (digest) => (kept?.digest === digest && performance.now() - kept.at < refusalMilliseconds ? kept.why : undefined),
    keep: (digest, why) => void (kept = { digest, why, at: performance.now() }),
  };
}
