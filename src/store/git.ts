/** A store that is a git repository: the newest commit of a branch, read from its objects without a checkout. */
import { printDuration } from "../config/duration.ts";
import { isRefusal, messageOf, refusal } from "../refusal.ts";
import { openSerialQueue } from "../serial-queue.ts";
import { openCommits } from "./git/commits.ts";
import { openCopy, type Copy } from "./git/copy.ts";
import { gitPlace, type GitPlace } from "./git/place.ts";
import { policyFileName } from "./safe-names.ts";
import type { StorageConfig } from "./storage.ts";
import type { Changes, Store } from "./store.ts";
import { UnreachableError, withMessage } from "../outgoing/unreachable-error.ts";

/** The repository, and the timeouts. */
export interface GitOptions {
  readonly place: GitPlace;
  readonly operationMilliseconds: number;
  /** The polling interval while watching. */
  readonly pollMilliseconds: number;
  readonly copy?: Copy;
  /** How many objects must be written before unneeded ones are looked for. */
  readonly minWritten?: number;
}

/** Opens a repository; nothing is fetched yet. */
export function openGitStore(config: StorageConfig): Store {
  return openGit({
    place: gitPlace(config),
    operationMilliseconds: config["storage.git.operationTimeout"],
    pollMilliseconds: config["storage.git.updatePollInterval"],
  });
}

/** Opens a repository at a place. */
export function openGit(options: GitOptions): Store {
  const { place, operationMilliseconds, pollMilliseconds, copy = openCopy(place.copyFolder), minWritten = 1000 } = options;
  const commits = openCommits(place, copy, minWritten);
  let isClosed = false;
  let stopFetching: (() => void) | undefined;
  /** The last fetch, which may go on for a moment after it was stopped. */
  let fetching: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isDue = true;
  const { inTurn, ended } = openSerialQueue();

  const fetchInTime = async (): Promise<Changes> => {
    const controller = new AbortController();
    const { signal } = controller;
    const stop = (): void => controller.abort();
    const late = setTimeout(stop, operationMilliseconds);
    stopFetching = stop;
    if (isClosed) stop();
    try {
      const fetched = commits.fetch(signal);
      fetching = fetched.catch(() => undefined); // the reading gets the error
      return await Promise.race([fetched, whenAborted(signal)]);
    } catch (error) {
      if (signal.aborted) throw new UnreachableError(`${place.name}: ${lateness(operationMilliseconds)}`);
      throw withMessage(error, `${place.name}: ${isRefusal(error) ? error.message : `it cannot be read (${messageOf(error)})`}`);
    } finally {
      clearTimeout(late);
      stop(); // whatever is still open
    }
  };
  const read = async (thorough: boolean): Promise<Changes> => {
    // Between two polls, the remote is not asked again.
    const taken = commits.taken();
    if (timer !== undefined && !isDue && !thorough && taken !== undefined) return taken.again;
    isDue = false;
    try {
      const changes = await (taken === undefined ? fetchInTime().catch(commits.lastGood) : fetchInTime());
      isDue ||= changes.staleBecause !== undefined; // else the next reading would say that nothing is wrong
      return changes;
    } catch (error) {
      isDue = true; // the current state is unknown
      throw error;
    }
  };
  const cancel = (): void => {
    isClosed = true;
    stopFetching?.();
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
      const commit = commits.taken()?.commit;
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
    cancel,
    close: async () => {
      clearInterval(timer);
      cancel();
      await ended();
      await fetching;
    },
  };
}

const readOnly = "the policies come from a git repository: commit there what is to change";

const lateness = (milliseconds: number): string =>
  `there is no answer within ${printDuration(milliseconds)} (setting storage.git.operationTimeout)`;

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(refusal("aborted"));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
