/** Policies and schemas in a git repository: the newest commit of a branch, read from its objects without a checkout. */
import { printDuration } from "../config/duration.ts";
import { isRefusal, messageOf, refusal } from "../refusal.ts";
import { openSerialQueue } from "../serial-queue.ts";
import { openCopy, type Copy } from "./git/copy.ts";
import { isMissingObject, type ObjectReader } from "./git/object.ts";
import { gitPlace, type GitPlace } from "./git/place.ts";
import { objectsOf, takeIn, type Taken } from "./git/take-in.ts";
import { listCommit } from "./git/tree.ts";
import { policyFileName } from "./safe-names.ts";
import type { StorageConfig } from "./storage.ts";
import type { Changes, Store } from "./store.ts";

/** Which repository, and how patient one is. */
export interface GitOptions {
  readonly place: GitPlace;
  readonly operationMilliseconds: number;
  /** How often it is asked for something new while watching. */
  readonly pollMilliseconds: number;
  readonly copy?: Copy;
  /** So many objects are written before it is worth looking for those that nobody needs. */
  readonly leastWritten?: number;
}

/** Opens a repository; nothing is fetched yet. */
export function openGitStore(config: StorageConfig): Store {
  return openGit({
    place: gitPlace(config),
    operationMilliseconds: config["storage.git.operationTimeout"],
    pollMilliseconds: config["storage.git.updatePollInterval"],
  });
}

/** Opens a repository by its place. */
export function openGit(options: GitOptions): Store {
  const { place, operationMilliseconds, pollMilliseconds, copy = openCopy(place.copyFolder), leastWritten = 1000 } = options;
  let isClosed = false;
  let stopFetching: (() => void) | undefined;
  let taken: Taken | undefined;
  /** What the copy holds of the commit that was taken in last. */
  let kept: ReadonlySet<string> = new Set();
  let written = leastWritten; // what was left behind by those before is looked at first
  let timer: NodeJS.Timeout | undefined;
  let isDue = true;
  const { inTurn, ended } = openSerialQueue();

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
  /** Takes in the newest commit. Nothing is believed before all of it is there, nor when it comes too late. */
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
  const fetchInTime = async (): Promise<Changes> => {
    const controller = new AbortController();
    const { signal } = controller;
    const stop = (): void => controller.abort();
    const late = setTimeout(stop, operationMilliseconds);
    stopFetching = stop;
    if (isClosed) stop();
    try {
      return await Promise.race([fetch(signal), whenAborted(signal)]);
    } catch (error) {
      const why = signal.aborted
        ? lateness(operationMilliseconds)
        : isRefusal(error)
          ? error.message
          : `it cannot be read (${messageOf(error)})`;
      throw refusal(`${place.name}: ${why}`);
    } finally {
      clearTimeout(late);
      stop(); // whatever is still open
    }
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
  const read = async (thorough: boolean): Promise<Changes> => {
    // Between two polls nobody is asked: what is there is known.
    if (timer !== undefined && !isDue && !thorough && taken !== undefined) return taken.again;
    isDue = false;
    try {
      return await (taken === undefined ? fetchInTime().catch(lastGood) : fetchInTime());
    } catch (error) {
      isDue = true; // what is there is not known
      throw error;
    }
  };
  const nothing = async (): Promise<never> => {
    throw refusal(readOnly);
  };
  return {
    name: place.name,
    read: async (thorough = false) => inTurn(() => read(thorough)),
    watch: (changed) => {
      timer = setInterval(() => {
        isDue = true;
        changed();
      }, pollMilliseconds);
    },
    accepted: async () => {
      const commit = taken?.commit;
      if (commit === undefined) return;
      await inTurn(async () => {
        if ((await copy.accepted()) !== commit) await copy.accept(commit);
      });
    },
    readOnly,
    placeOf: policyFileName,
    schemaIdProblem: () => undefined,
    sourceOf: (policy) => ({ ...policy, attributes: { driver: "git", source: policy.path } }),
    write: nothing,
    close: async () => {
      clearInterval(timer);
      isClosed = true;
      stopFetching?.();
      await ended();
    },
  };
}

const readOnly = "the policies come from a git repository: commit there what is to change";

const lateness = (milliseconds: number): string =>
  `there is no answer within ${printDuration(milliseconds)} (setting storage.git.operationTimeout)`;

const joined =
  (remote: ObjectReader, copy: ObjectReader, copyFirst: boolean): ObjectReader =>
  async (id) =>
    copyFirst ? ((await copy(id)) ?? (await remote(id))) : ((await remote(id)) ?? (await copy(id)));

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(refusal("aborted"));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
