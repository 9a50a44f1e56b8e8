/**
 * Starts following a store of policies whose compiled set may be in the cache. If it is, that set is posted at once, and
 * no compiler is loaded before a change or a command.
 */
import { otherContents } from "../compile/compare-contents.ts";
import type { CompileThreadData } from "../compile/compile-thread.ts";
import type { SetCache } from "../compile/set-cache.ts";
import type { SetInForce } from "../compile/stamp-cache.ts";
import type { GoodOutcome } from "../compile/outcome.ts";
import type { Store } from "../store/store.ts";
import type { WatchStampsOptions } from "./watch-stamps.ts";
import type { Loop, LoopOptions } from "./compile-loop.ts";

/** A store that is followed, whether or not a compiler has been loaded for it. */
export interface Followed {
  readonly loop: () => Promise<Loop>;
  readonly close: () => Promise<void>;
}

/** The callbacks, and the function that follows the store. */
export interface FollowOptions {
  readonly callbacks: Pick<LoopOptions, "watch" | "post"> & { readonly polled: () => void };
  /** Remarks to post after the set that they are about. */
  readonly remarks: { readonly add: (...messages: readonly string[]) => void; readonly post: () => void };
  readonly follow: (given: Pick<LoopOptions, "store" | "sets" | "start" | "base">) => Promise<Loop>;
}

/** Starts following a store whose compiled sets are cached in a directory. */
export async function followCached(given: Store, folder: string, work: CompileThreadData, options: FollowOptions): Promise<Followed> {
  const { storage, schemas, inForce } = work;
  const { cacheName, openSetCache } = await import("../compile/set-cache.ts");
  const sets = openSetCache(folder, cacheName(storage, given.name, schemas), options.remarks.add);
  const startFollowing = (): Promise<Followed> => followByContents(given, sets, work, options);
  const stamps = inForce?.stamps;
  if (inForce === undefined || stamps === undefined || storage["storage.driver"] !== "disk") return startFollowing();
  return followByStamps(
    given,
    sets,
    { directory: storage["storage.disk.directory"], rules: schemas, inForce: { ...inForce, stamps } },
    options,
    startFollowing,
  );
}

/** Reads the store, and posts its cached set or has it compiled. */
async function followByContents(
  given: Store,
  sets: SetCache,
  work: CompileThreadData,
  { callbacks, remarks, follow }: FollowOptions,
): Promise<Followed> {
  const { schemas, cacheTrust, inForce } = work;
  const { startFromCache } = await import("../compile/start-from-cache.ts");
  const { store, start } = await startFromCache(cacheTrust === "stamps" ? given : stampless(given), sets, schemas, callbacks.watch);
  let following: Promise<Loop> | undefined;
  const loop = (): Promise<Loop> => (following ??= follow({ store, sets, ...(start === undefined ? baseOf(sets, inForce) : { start }) }));
  if (start === undefined) await loop();
  else {
    remarks.add(...start.remarks);
    callbacks.polled();
    if (start.inputs === inForce?.inputs) remarks.post();
    else callbacks.post(start.good);
    if (start.staleBecause !== undefined) callbacks.post({ kind: "unreachable", message: start.staleBecause });
    if (callbacks.watch) store.watch(() => void loop());
  }
  return { loop, close: async () => (following === undefined ? store.close() : (await following).close()) };
}

/** Reads nothing until something happens: the set in force was chosen by the stamps of its files. */
async function followByStamps(
  given: Store,
  sets: SetCache,
  folder: Pick<WatchStampsOptions, "directory" | "rules" | "inForce">,
  { callbacks, remarks }: FollowOptions,
  startFollowing: () => Promise<Followed>,
): Promise<Followed> {
  let following: Promise<Followed> | undefined;
  const startOnce = (): Promise<Followed> => (following ??= startFollowing());
  const { watchStamps } = await import("./watch-stamps.ts");
  const stop = watchStamps({
    ...folder,
    watch: callbacks.watch,
    polled: callbacks.polled,
    remark: (message) => {
      remarks.add(message);
      remarks.post();
    },
    changed: (because) => {
      sets.deleteStamps();
      if (because === "contents") remarks.add(otherContents);
      // Without watching, changes are picked up by the next command.
      if (because === "contents" || callbacks.watch) void startOnce();
    },
  });
  return {
    loop: async () => {
      stop();
      return (await startOnce()).loop();
    },
    close: async () => {
      stop();
      await (following === undefined ? given.close() : (await following).close());
    },
  };
}

/** Returns the set in force as the base of the next change. */
function baseOf(sets: SetCache, inForce: SetInForce | undefined): Pick<LoopOptions, "base"> {
  const cached = inForce && sets.find(inForce.inputs);
  if (inForce === undefined || cached === undefined) return {};
  const { digest, warnings } = cached;
  const { policies, schemas } = inForce;
  const counts = { policies, created: 0, updated: 0, deleted: 0 };
  const good: GoodOutcome = { kind: "set", text: [], digest, ...counts, warnings, ...(schemas !== undefined && { schemas }) };
  return { base: { bundle: JSON.parse(cached.wholeText()), good } };
}

/** Returns the store without stamps: it is then identified by its contents alone. */
function stampless(store: Store): Store {
  const { stamps: _, ...rest } = store;
  return rest;
}
