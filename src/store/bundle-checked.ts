/** What a bundle file holds, once every field of it was checked and the whole was tried; one that passed is known again at the next start. */
import { readContent } from "../bundle/file.ts";
import type { Frame } from "../bundle/frame.ts";
import { knownSet, setOf, type SetAndText } from "../bundle/set.ts";
import type { Trust } from "../bundle/verify.ts";
import { isRefusal } from "../refusal.ts";
import type { Trials } from "../trial/trial.ts";
import type { Passed } from "./bundle-passed.ts";

/** Who checks. */
export interface Checking {
  /** Finds out, before the first file is read, which one need not be checked again. */
  readonly begin: () => Promise<void>;
  /** Throws a refusal when it is not to be used. `isFirst`: nothing is in force yet. `thorough`: it is tried even if it was refused lately. */
  readonly setIn: (file: Frame, trust: Trust, how: { readonly isFirst: boolean; readonly thorough: boolean }) => Promise<SetAndText>;
}

/** Opens it; without `trials` nothing is tried. */
export function openChecking(passed: Passed, trials: Trials | undefined): Checking {
  const refusals = openRefusals();
  /** At a start: the digest of what need not be checked again. */
  let known: string | undefined;

  /** One that was refused lately is not tried at each poll: programs answer as they did. Who asks thoroughly is told anew. */
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
      known = await passed.last();
      if (known === undefined) trials?.prepare(); // most likely, one that is known is still there
    },
    setIn: async (file, trust, { isFirst, thorough }) => {
      const remembers = trials !== undefined && trust.kind === "keys";
      if (remembers && isFirst && file.digest === known) return knownSet(file.statement);
      const found = setOf(readContent(file.statement));
      await tryOut(found.text, file.digest, thorough);
      if (remembers) await passed.keep(file.digest);
      return found;
    },
  };
}

/** A machine that had no time for a trial may have some later. */
const refusalMilliseconds = 60_000;

/** The last refusal of a trial, for a while. */
function openRefusals(): { readonly of: (digest: string) => Error | undefined; readonly keep: (digest: string, why: Error) => void } {
  let kept: { readonly digest: string; readonly why: Error; readonly at: number } | undefined;
  return {
    of: (digest) => (kept?.digest === digest && performance.now() - kept.at < refusalMilliseconds ? kept.why : undefined),
    keep: (digest, why) => void (kept = { digest, why, at: performance.now() }),
  };
}
