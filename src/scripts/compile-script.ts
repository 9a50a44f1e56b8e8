/** What the thread does that reads the store and compiles: it opens the store it is told to, posts every outcome, and answers what it is asked. */
import { resolve } from "node:path";
import type { MessagePort } from "node:worker_threads";
import type { Loop, LoopOptions } from "../follow/compile-loop.ts";
import type { CompileWork, FromThread, ToThread } from "../compile/compile-thread.ts";
import { noteProgram } from "../compile/set-inputs.ts";
import type { StoreEvent } from "../observe/events.ts";
import type { Outcome } from "../compile/outcome.ts";
import { openStore, watches, type OpenedStore } from "../store/index.ts";
import type { Store } from "../store/store.ts";
import { openTrials } from "../trial/trial.ts";

/** Does it until the thread, or whoever is at the other end of the port, ends. Rejects with a refusal when the store cannot be opened. */
export async function follow(work: CompileWork, port: MessagePort): Promise<void> {
  const { storage, schemas, administered, cacheDir } = work;
  if (cacheDir !== undefined) noteProgram();
  const say = (said: FromThread): void => port.postMessage(said);
  const observe = (event: StoreEvent): void => say({ kind: "observed", event });
  /** What is to be said after the set that it is about. */
  const remarks: string[] = [];
  const post = (outcome: Outcome): void => {
    if (outcome.kind === "set" || outcome.kind === "change") {
      for (const text of outcome.text) say({ kind: "piece", text });
      say({ kind: "outcome", outcome: { ...outcome, text: [] } });
    } else say({ kind: "outcome", outcome });
    for (const message of remarks.splice(0)) say({ kind: "outcome", outcome: { kind: "remark", message } });
  };
  const told = {
    watch: watches(storage),
    post,
    polled: () => say({ kind: "polled" }),
    ...(schemas !== undefined && { schemas }),
    ...(administered !== undefined && { administered }),
  } as const;

  const followPolicies = async (given: Pick<LoopOptions, "store" | "sets" | "start">): Promise<Loop> =>
    (await import("../follow/compile-loop.ts")).followStore({ ...given, ...told });
  /** Where the set of the store was kept, the compiler is loaded when somebody changes or asks something. */
  const beginPolicies = async (store: Store, folder: string): Promise<() => Promise<Loop>> => {
    const [{ openKeptSets }, { beginKept }] = await Promise.all([import("../compile/kept-set.ts"), import("../compile/kept-start.ts")]);
    // A folder by its whole path: servers that are started elsewhere have others of that name.
    const place = storage["storage.driver"] === "disk" ? resolve(storage["storage.disk.directory"]) : store.name;
    const sets = openKeptSets(folder, JSON.stringify([place, schemas]), (message) => void remarks.push(message));
    const begun = await beginKept(store, sets, schemas, told.watch);
    let following: Promise<Loop> | undefined;
    const loop = (): Promise<Loop> => (following ??= followPolicies({ ...begun, sets }));
    if (begun.start === undefined) await loop();
    else {
      remarks.push(...begun.start.remarks);
      told.polled();
      post(begun.start.good);
      const { staleBecause } = begun.start;
      if (staleBecause !== undefined) post({ kind: "unreachable", message: staleBecause });
      if (told.watch) begun.store.watch(() => void loop());
    }
    return loop;
  };
  /** How what is asked is answered. */
  const begin = async (opened: OpenedStore): Promise<() => Promise<Loop>> => {
    if (opened.kind === "policies" && cacheDir !== undefined) return beginPolicies(opened.store, cacheDir);
    // Who serves what was compiled elsewhere does not wait for a compiler.
    const loop =
      opened.kind === "bundle"
        ? (await import("../follow/bundle-loop.ts")).followBundle({ store: opened.store, observe, ...told })
        : await followPolicies({ store: opened.store });
    return async () => loop;
  };

  const trials = openTrials((result, milliseconds) => observe({ kind: "bundle tried", result, milliseconds }));
  const loop = await begin(await openStore(storage, trials));
  // What throws here is a bug of ours: it ends the thread, which is started again.
  const hear = async (message: ToThread): Promise<void> => {
    const { tellWhole, ask } = await loop();
    if (message.kind === "whole") return tellWhole();
    const { id, command } = message;
    ask(command).then(
      (answer) => say({ kind: "answer", id, answer }),
      (error: unknown) => say({ kind: "failed", id, error: error instanceof Error ? error : new Error(String(error)) }),
    );
  };
  port.on("message", (message: ToThread) => void hear(message));
}
