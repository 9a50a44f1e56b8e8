/** What the thread does that reads the store and compiles: it opens the store it is told to, posts every outcome, and answers what it is asked. */
import type { MessagePort } from "node:worker_threads";
import type { Loop, LoopOptions } from "../follow/compile-loop.ts";
import { tellReadings } from "../follow/exchange.ts";
import type { CompileWork, FromThread, ToThread } from "../compile/compile-thread.ts";
import { noteProgram } from "../compile/set-inputs.ts";
import { otherContents } from "../compile/compare-contents.ts";
import type { KeptSets } from "../compile/kept-set.ts";
import type { InForce } from "../compile/kept-stamps.ts";
import type { StoreEvent } from "../observe/events.ts";
import type { Good, Outcome } from "../compile/outcome.ts";
import { inParcels } from "../texts/in-pieces.ts";
import { openStore, watches, type OpenedStore } from "../store/index.ts";
import type { Store } from "../store/store.ts";
import { openTrials } from "../trial/trial.ts";

/** A store that is looked after, whether or not it has been worth a compiler yet. */
interface Followed {
  readonly loop: () => Promise<Loop>;
  readonly close: () => Promise<void>;
}

/** Does it until it is told to close, or the thread, or whoever is at the other end of the port, ends. Rejects with a refusal when the store cannot be opened. */
export async function follow(work: CompileWork, port: MessagePort): Promise<void> {
  const { storage, schemas, administered, cacheDir, cacheTrust, inForce } = work;
  if (cacheDir !== undefined) noteProgram();
  const say = (said: FromThread): void => port.postMessage(said);
  const observe = (event: StoreEvent): void => say({ kind: "observed", event });
  /** What is to be said after the set that it is about. */
  const remarks: string[] = [];
  const post = (outcome: Outcome): void => {
    if (outcome.kind === "set" || outcome.kind === "change") {
      for (const texts of inParcels(outcome.text)) say({ kind: "pieces", texts });
      say({ kind: "outcome", outcome: { ...outcome, text: [] } });
    } else say({ kind: "outcome", outcome });
    tellRemarks();
  };
  const tellRemarks = (): void => {
    for (const message of remarks.splice(0)) say({ kind: "outcome", outcome: { kind: "remark", message } });
  };
  const told = {
    watch: watches(storage),
    post,
    polled: () => say({ kind: "polled" }),
    ...(schemas !== undefined && { schemas }),
    ...(administered !== undefined && { administered }),
  } as const;

  const followPolicies = async (given: Pick<LoopOptions, "store" | "sets" | "start" | "base">): Promise<Loop> =>
    (await import("../follow/compile-loop.ts")).followStore({ ...given, ...told });
  /** Where the set of the store was kept, the compiler is loaded when somebody changes or asks something. */
  const beginPolicies = async (given: Store, folder: string): Promise<Followed> => {
    const [{ keptName, openKeptSets }, { beginKept }] = await Promise.all([
      import("../compile/kept-set.ts"),
      import("../compile/kept-start.ts"),
    ]);
    const sets = openKeptSets(folder, keptName(storage, given.name, schemas), (message) => void remarks.push(message));
    const rise = async (): Promise<Followed> => {
      const { store, start } = await beginKept(cacheTrust === "stamps" ? given : stampless(given), sets, schemas, told.watch);
      let following: Promise<Loop> | undefined;
      const loop = (): Promise<Loop> =>
        (following ??= followPolicies({ store, sets, ...(start === undefined ? baseOf(sets, inForce) : { start }) }));
      if (start === undefined) await loop();
      else {
        remarks.push(...start.remarks);
        told.polled();
        if (start.inputs === inForce?.inputs) tellRemarks();
        else post(start.good);
        if (start.staleBecause !== undefined) post({ kind: "unreachable", message: start.staleBecause });
        if (told.watch) store.watch(() => void loop());
      }
      return { loop, close: async () => (following === undefined ? store.close() : (await following).close()) };
    };
    const stamps = inForce?.stamps;
    if (inForce === undefined || stamps === undefined || storage["storage.driver"] !== "disk") return rise();
    let risen: ReturnType<typeof rise> | undefined;
    const wake = (): ReturnType<typeof rise> => (risen ??= rise());
    const { watchAsleep } = await import("../follow/asleep.ts");
    const stop = watchAsleep({
      directory: storage["storage.disk.directory"],
      rules: schemas,
      inForce: { ...inForce, stamps },
      watch: told.watch,
      polled: told.polled,
      remark: (message) => {
        remarks.push(message);
        tellRemarks();
      },
      wake: (because) => {
        sets.forgetStamps();
        if (because === "contents") remarks.push(otherContents);
        // Where nobody watches, what has been changed since is taken in when somebody asks.
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
  };
  const begin = async (opened: OpenedStore): Promise<Followed> => {
    if (opened.kind === "policies" && cacheDir !== undefined) return beginPolicies(opened.store, cacheDir);
    // Who serves what was compiled elsewhere does not wait for a compiler.
    const loop =
      opened.kind === "bundle"
        ? (await import("../follow/bundle-loop.ts")).followBundle({ store: opened.store, observe, ...told })
        : await followPolicies({ store: opened.store });
    return { loop: async () => loop, close: async () => loop.close() };
  };

  const trials = openTrials((result, milliseconds) => observe({ kind: "bundle tried", result, milliseconds }));
  const followed = await begin(toldOf(await openStore(storage, trials), storage, observe));
  // What throws here is a bug of ours: it ends the thread, which is started again.
  const hear = async (message: ToThread): Promise<void> => {
    if (message.kind === "close") {
      await followed.close();
      return say({ kind: "closed" });
    }
    const { tellWhole, ask } = await followed.loop();
    if (message.kind === "whole") return tellWhole();
    const { id, command } = message;
    ask(command).then(
      (answer) => say({ kind: "answer", id, answer }),
      (error: unknown) => say({ kind: "failed", id, error: error instanceof Error ? error : new Error(String(error)) }),
    );
  };
  port.on("message", (message: ToThread) => void hear(message));
}

/** Who asks a store that is elsewhere may wait for long. */
function toldOf(opened: OpenedStore, storage: CompileWork["storage"], observe: (event: StoreEvent) => void): OpenedStore {
  if (opened.kind === "bundle") return { ...opened, store: tellReadings(opened.store, observe) };
  return storage["storage.driver"] === "git" ? { ...opened, store: tellReadings(opened.store, observe) } : opened;
}

/** Returns the set in force, so that the next one is told as a change of it. */
function baseOf(sets: KeptSets, inForce: InForce | undefined): Pick<LoopOptions, "base"> {
  const kept = inForce && sets.find(inForce.inputs);
  if (inForce === undefined || kept === undefined) return {};
  const { digest, warnings } = kept;
  const good: Good = { kind: "set", text: [], digest, policies: inForce.policies, created: 0, updated: 0, deleted: 0, warnings };
  return { base: { bundle: JSON.parse(kept.whole()), good } };
}

/** The same store, which is known by its contents alone. */
function stampless(store: Store): Store {
  const { stamps: _, ...rest } = store;
  return rest;
}
