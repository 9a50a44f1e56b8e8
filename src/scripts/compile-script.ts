/** The compile thread: opens the configured store, posts every outcome, and answers commands. */
import type { MessagePort } from "node:worker_threads";
import { passwordMatches } from "../admin/password-hash.ts";
import { followCached, type FollowOptions, type Followed } from "../follow/follow-cached.ts";
import { reportReads } from "../follow/report-reads.ts";
import type { CompileThreadData, FromThread, ToThread } from "../compile/compile-thread.ts";
import { programIdentity } from "../compile/set-inputs.ts";
import type { StoreEvent } from "../observe/events.ts";
import type { Outcome } from "../compile/outcome.ts";
import { groupPieces } from "../texts/in-pieces.ts";
import { openStore, watches, type OpenedStore } from "../store/index.ts";
import { openTrials } from "../trial/trial.ts";

/**
 * Runs until it is told to close, or until the thread or the other end of the port ends. Rejects with a refusal when the store cannot
 * be opened.
 */
export async function follow(work: CompileThreadData, port: MessagePort): Promise<void> {
  const { storage, schemas, administered, cacheDir } = work;
  if (cacheDir !== undefined) programIdentity();
  const say = (said: FromThread): void => port.postMessage(said);
  const observe = (event: StoreEvent): void => say({ kind: "observed", event });
  const remarks = openRemarkQueue((message) => say({ kind: "outcome", outcome: { kind: "remark", message } }));
  const post = (outcome: Outcome): void => {
    if (outcome.kind === "set" || outcome.kind === "change") {
      for (const texts of groupPieces(outcome.text)) say({ kind: "pieces", texts });
      say({ kind: "outcome", outcome: { ...outcome, text: [] } });
    } else say({ kind: "outcome", outcome });
    remarks.post();
  };
  const callbacks = {
    watch: watches(storage),
    post,
    polled: () => say({ kind: "polled" }),
    ...(schemas !== undefined && { schemas }),
    ...(administered !== undefined && { administered }),
  } as const;

  const followPolicies: FollowOptions["follow"] = async (given) =>
    (await import("../follow/compile-loop.ts")).followStore({ ...given, ...callbacks });
  const begin = async (opened: OpenedStore): Promise<Followed> => {
    if (opened.kind === "policies" && cacheDir !== undefined)
      return followCached(opened.store, cacheDir, work, { callbacks, remarks, follow: followPolicies });
    // For a bundle, no compiler is loaded.
    const loop =
      opened.kind === "bundle"
        ? (await import("../follow/bundle-loop.ts")).followBundle({ store: opened.store, observe, ...callbacks })
        : await followPolicies({ store: opened.store });
    return { loop: async () => loop, close: async () => loop.close() };
  };

  const trials = openTrials((result, milliseconds) => observe({ kind: "bundle tried", result, milliseconds }));
  const followed = await begin(withReadReports(await openStore(storage, trials), storage, observe));
  // An error here is a bug of ours: it ends the thread, which is restarted.
  const handleMessage = async (message: ToThread): Promise<void> => {
    if (message.kind === "close") {
      await followed.close();
      return say({ kind: "closed" });
    }
    if (message.kind === "whole") return (await followed.loop()).postWholeSet();
    const { id, command } = message;
    // The loop reads the store, and may put in force what it finds: nobody causes that without credentials.
    const answered =
      command.kind === "verify password" ? passwordMatches(command.password, command.hash) : (await followed.loop()).ask(command);
    answered.then(
      (answer) => say({ kind: "answer", id, answer }),
      (error: unknown) => say({ kind: "failed", id, error: error instanceof Error ? error : new Error(String(error)) }),
    );
  };
  port.on("message", (message: ToThread) => void handleMessage(message));
}

/** Reports requests to remote stores, because they may take long. */
function withReadReports(opened: OpenedStore, storage: CompileThreadData["storage"], observe: (event: StoreEvent) => void): OpenedStore {
  if (opened.kind === "bundle") return { ...opened, store: reportReads(opened.store, observe) };
  return storage["storage.driver"] === "git" ? { ...opened, store: reportReads(opened.store, observe) } : opened;
}

/** Opens the queue of remarks to be posted after the set that they are about. */
function openRemarkQueue(say: (message: string) => void): FollowOptions["remarks"] {
  const waiting: string[] = [];
  return {
    add: (...messages) => void waiting.push(...messages),
    post: () => {
      for (const message of waiting.splice(0)) say(message);
    },
  };
}
