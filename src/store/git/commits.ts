/** The commits of a branch as they are taken in, one after the other: fetched, kept in the copy, and only then believed. */
import { messageOf, refusal } from "../../refusal.ts";
import type { Changes } from "../store.ts";
import type { Copy } from "./copy.ts";
import { isMissingObject, type ObjectReader } from "./object.ts";
import type { GitPlace } from "./place.ts";
import { objectsOf, takeIn, type Taken } from "./take-in.ts";
import { listCommit } from "./tree.ts";

/** What has been taken in, and how the next is. */
export interface Commits {
  readonly taken: () => Taken | undefined;
  /** Takes in the newest commit. Nothing is believed before all of it is there, nor when it comes too late. */
  readonly fetch: (signal: AbortSignal) => Promise<Changes>;
  /** Takes in what the copy has, where the remote cannot be read; rejects with the reason where it has nothing. */
  readonly lastGood: (why: unknown) => Promise<Changes>;
}

/** Begins with nothing taken in. `leastWritten`: so many objects are written before it is worth looking for those that nobody needs. */
export function openCommits(place: GitPlace, copy: Copy, leastWritten: number): Commits {
  let taken: Taken | undefined;
  /** What the copy holds of the commit that was taken in last. */
  let kept: ReadonlySet<string> = new Set();
  let written = leastWritten; // what was left behind by those before is looked at first

  const keep = async (next: Taken, from: ObjectReader): Promise<ReadonlySet<string>> => {
    // Somebody may have put away what was there.
    const there = (await copy.newest()) === taken?.commit ? kept : new Set();
    const live = new Set(next.objects);
    const fresh = [...live].filter((id) => !there.has(id));
    await copy.keep(next.commit, fresh, from);
    written += fresh.length;
    if (written >= Math.max(leastWritten, live.size)) {
      written = 0;
      await copy.prune(new Set([...live, ...(await acceptedObjects())]));
    }
    return live;
  };
  /** The ids of what the accepted commit is made of, as far as it is there. */
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
        const next = await takeIn(read, commit, place.folder, taken);
        const live = read === copy.read ? new Set(next.objects) : await keep(next, read);
        if (signal.aborted) throw refusal("aborted");
        [taken, kept] = [next, live];
        return next.changes;
      } catch (error) {
        // What was fetched before lacks something: it is fetched again, as if nothing were here.
        if (!isMissingObject(error)) throw error;
        if (have === undefined) throw refusal(`it is damaged: ${error.message}`);
      } finally {
        await exchange.close();
      }
    }
    throw refusal("it is damaged");
  };
  const lastGood = async (why: unknown): Promise<Changes> => {
    // What was fetched last and never compiled is of use only where nothing ever did.
    const known = await Promise.all([copy.accepted(), copy.newest()]).catch(() => []); // where the copy is refused, so was the remote
    for (const commit of new Set(known)) {
      const next = commit === undefined ? undefined : await takeIn(copy.read, commit, place.folder, undefined).catch(() => undefined);
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
