/** Takes in the commits of a branch one after the other: each is fetched, stored in the local copy, and only then used. */
import { messageOf, refusal } from "../../refusal.ts";
import type { Changes } from "../store.ts";
import type { Copy } from "./copy.ts";
import { isMissingObject, type ObjectReader } from "./object.ts";
import type { GitPlace } from "./place.ts";
import { objectsOf, readChanges, type ReadCommit } from "./read-changes.ts";
import { listCommit } from "./tree.ts";

/** The commits of a branch. */
export interface Commits {
  readonly taken: () => ReadCommit | undefined;
  /** Fetches and takes in the newest commit. It is used only when it is complete and has arrived in time. */
  readonly fetch: (signal: AbortSignal) => Promise<Changes>;
  /** Takes in the commit in the local copy, when the remote cannot be read; rejects with that reason when there is none. */
  readonly lastGood: (why: unknown) => Promise<Changes>;
}

/** Opens the branch; no commit has been taken in. `minWritten`: how many objects must be written before unneeded ones are looked for. */
export function openCommits(place: GitPlace, copy: Copy, minWritten: number): Commits {
  let taken: ReadCommit | undefined;
  /** The objects of the last commit that are in the copy. */
  let kept: ReadonlySet<string> = new Set();
  let written = minWritten; // Starts at the threshold, so that leftovers of earlier processes are pruned first.

  const keep = async (next: ReadCommit, from: ObjectReader): Promise<ReadonlySet<string>> => {
    // Another process may have pruned what was there.
    const there = (await copy.newest()) === taken?.commit ? kept : new Set();
    const live = new Set(next.objects);
    const fresh = [...live].filter((id) => !there.has(id));
    await copy.keep(next.commit, fresh, from);
    written += fresh.length;
    if (written >= Math.max(minWritten, live.size)) {
      written = 0;
      await copy.prune(new Set([...live, ...(await acceptedObjects())]));
    }
    return live;
  };
  /** Returns the ids of the accepted commit's objects, as far as they are present. */
  const acceptedObjects = async (): Promise<readonly string[]> => {
    const commit = await copy.accepted();
    if (commit === undefined) return [];
    const listing = await listCommit(copy.read, commit, place.folder, undefined).catch(() => undefined);
    return listing === undefined ? [] : objectsOf(listing);
  };
  const fetch = async (signal: AbortSignal): Promise<Changes> => {
    const newest = await copy.newest();
    for (const have of newest === undefined ? [undefined] : [newest, undefined]) {
      const exchange = await place.remote.open(signal);
      let fetched: readonly [next: ReadCommit, live: ReadonlySet<string>];
      try {
        const { commit } = exchange;
        if (commit === taken?.commit) return taken.again;
        const read =
          commit === have
            ? copy.read
            : joined(
                await exchange.objects(have === undefined ? undefined : { commit: have, read: copy.read }),
                copy.read,
                exchange.isNear,
              );
        const next = await readChanges(read, commit, place.folder, taken);
        fetched = [next, read === copy.read ? new Set(next.objects) : await keep(next, read)];
      } catch (error) {
        // The copy is incomplete or damaged: fetch again without relying on it.
        if (!isMissingObject(error)) throw error;
        if (have === undefined) throw refusal(`it is damaged: ${error.message}`);
        continue;
      } finally {
        await exchange.close();
      }
      // Only now: if the time is up, even if it was while closing, nobody gets the changes, and the next reading must find them again.
      if (signal.aborted) throw refusal("aborted");
      [taken, kept] = fetched;
      return taken.changes;
    }
    throw refusal("it is damaged");
  };
  const lastGood = async (why: unknown): Promise<Changes> => {
    // The last fetched commit, if it never compiled, is only of use when none ever did.
    const known = await Promise.all([copy.accepted(), copy.newest()]).catch(() => []); // If the copy is refused, the refusal of the remote is reported.
    for (const commit of new Set(known)) {
      const next = commit === undefined ? undefined : await readChanges(copy.read, commit, place.folder, undefined).catch(() => undefined);
      if (next === undefined) continue;
      taken = next;
      kept = new Set(next.objects);
      return { ...next.changes, staleBecause: `${messageOf(why)}: the copy of commit ${next.commit} is used, which was fetched before` };
    }
    throw why;
  };
  return { taken: () => taken, fetch, lastGood };
}

const joined =
  (remote: ObjectReader, copy: ObjectReader, copyFirst: boolean): ObjectReader =>
  async (id) =>
    copyFirst ? ((await copy(id)) ?? (await remote(id))) : ((await remote(id)) ?? (await copy(id)));
