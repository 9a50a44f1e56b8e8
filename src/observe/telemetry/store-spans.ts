/** The spans of the store: one per compilation, with its result. */
import type { StoreEvent } from "../events.ts";
import { isSampled, type SpanContexts } from "./span-contexts.ts";
import { kinds, nameOf, sortOf } from "./span-message.ts";
import type { SpanQueue } from "./span-queue.ts";

const names = {
  policies: nameOf("authz.policies"),
  created: nameOf("authz.policies.created"),
  updated: nameOf("authz.policies.updated"),
  deleted: nameOf("authz.policies.deleted"),
} as const;
const storeUpdate = sortOf("store update", kinds.internal);

/** Observes a store: each compilation is a trace of its own. */
export const openStoreSpans =
  (contexts: SpanContexts, queue: SpanQueue) =>
  (event: StoreEvent): void => {
    if ((event.kind !== "loaded" && event.kind !== "failed") || event.compileMilliseconds === undefined) return;
    const context = contexts.root();
    if (!isSampled(context)) return;
    const end = event.kind === "loaded" ? event.at : Date.now();
    const about = { sort: storeUpdate, context, parent: undefined, start: end - event.compileMilliseconds, end };
    if (event.kind === "failed") return queue.add({ ...about, attributes: [], trouble: "the last good set keeps answering" });
    queue.add({
      ...about,
      attributes: [
        [names.policies, event.policies],
        [names.created, event.created],
        [names.updated, event.updated],
        [names.deleted, event.deleted],
      ],
      trouble: undefined,
    });
  };
