/**
 * Starts following a store of policies whose compiled set may be in the cache of kept sets. If it is, that set is posted at once, and
 * no compiler is loaded before a change or a command.
 */
import { otherContents } from "../compile/compare-contents.ts";
import type { CompileWork } from "../compile/compile-thread.ts";
import type { KeptSets } from "../compile/kept-set.ts";
import type { InForce } from "../compile/kept-stamps.ts";
import type { Good } from "../compile/outcome.ts";
import type { Store } from "../store/store.ts";
import type { AsleepOptions } from "./asleep.ts";
import type { Loop, LoopOptions } from "./compile-loop.ts";

/** A store that is followed, whether or not a compiler has been loaded for it. */
export interface Followed {
  readonly loop: () => Promise<Loop>;
  readonly close: () => Promise<void>;
}

/** The callbacks, and the function that follows the store. */
export interface BeginOptions {
  readonly told: Pick<LoopOptions, "watch" | "post"> & { readonly polled: () => void };
  /** Remarks to post after the set that they are about. */
  readonly remarks: { readonly add: (...messages: readonly string[]) => void; readonly tell: () => void };
  readonly follow: (given: Pick<LoopOptions, "store" | "sets" | "start" | "base">) => Promise<Loop>;
}

/** Starts following a store whose compiled sets are kept in a directory. */
export async function beginPolicies(given: Store, folder: string, work: CompileWork, options: BeginOptions): Promise<Followed> {
  const { storage, schemas, inForce } = work;
  const { keptName, openKeptSets } = await import("../compile/kept-set.ts");
  const sets = openKeptSets(folder, keptName(storage, given.name, schemas), options.remarks.add);
  const rise = (): Promise<Followed> => beginAwake(given, sets, work, options);
  const stamps = inForce?.stamps;
  if (inForce === undefined || stamps === undefined || storage["storage.driver"] !== "disk") return rise();
  return beginAsleep(
    given,
    sets,
    { directory: storage["storage.disk.directory"], rules: schemas, inForce: { ...inForce, stamps } },
    options,
    rise,
  );
}

/** Reads the store, and posts its kept set or has it compiled. */
async function beginAwake(given: Store, sets: KeptSets, work: CompileWork, { told, remarks, follow }: BeginOptions): Promise<Followed> {
  const { schemas, cacheTrust, inForce } = work;
  const { beginKept } = await import("../compile/kept-start.ts");
  const { store, start } = await beginKept(cacheTrust === "stamps" ? given : stampless(given), sets, schemas, told.watch);
  let following: Promise<Loop> | undefined;
  const loop = (): Promise<Loop> => (following ??= follow({ store, sets, ...(start === undefined ? baseOf(sets, inForce) : { start }) }));
  if (start === undefined) await loop();
  else {
    remarks.add(...start.remarks);
    told.polled();
    if (start.inputs === inForce?.inputs) remarks.tell();
    else told.post(start.good);
    if (start.staleBecause !== undefined) told.post({ kind: "unreachable", message: start.staleBecause });
    if (told.watch) store.watch(() => void loop());
  }
  return { loop, close: async () => (following === undefined ? store.close() : (await following).close()) };
}

/** Reads nothing until something happens: the set in force was chosen by the stamps of its files. */
async function beginAsleep(
  given: Store,
  sets: KeptSets,
  folder: Pick<AsleepOptions, "directory" | "rules" | "inForce">,
  { told, remarks }: BeginOptions,
  rise: () => Promise<Followed>,
): Promise<Followed> {
  let risen: Promise<Followed> | undefined;
  const wake = (): Promise<Followed> => (risen ??= rise());
  const { watchAsleep } = await import("./asleep.ts");
  const stop = watchAsleep({
    ...folder,
    watch: told.watch,
    polled: told.polled,
    remark: (message) => {
      remarks.add(message);
      remarks.tell();
    },
    wake: (because) => {
      sets.forgetStamps();
      if (because === "contents") remarks.add(otherContents);
      // Without watching, changes are picked up by the next command.
      if (because === "contents" || told.watch) void wake();
    },
  });
  return {
    loop: async () => {
      stop();
      return (await wake()).loop();
    },
    close: async () => {
      stop();
      await (risen === undefined ? given.close() : (await risen).close());
    },
  };
}

/** Returns the set in force as the base of the next change. */
function baseOf(sets: KeptSets, inForce: InForce | undefined): Pick<LoopOptions, "base"> {
  const kept = inForce && sets.find(inForce.inputs);
  if (inForce === undefined || kept === undefined) return {};
  const { digest, warnings } = kept;
  const good: Good = { kind: "set", text: [], digest, policies: inForce.policies, created: 0, updated: 0, deleted: 0, warnings };
  return { base: { bundle: JSON.parse(kept.whole()), good } };
}

/** Returns the store without stamps: it is then identified by its contents alone. */
function stampless(store: Store): Store {
  const { stamps: _, ...rest } = store;
  return rest;
}
