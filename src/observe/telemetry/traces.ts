/** The tracing of a server: assembles the spans, the queue and the sender. */
import type { resources } from "@opentelemetry/sdk-node";
import type { FetchText } from "../../outgoing/fetch-text.ts";
import { version } from "../../version.ts";
import type { BeginSpan, CallObserver, StoreEvent } from "../events.ts";
import type { Log } from "../log.ts";
import { openCallSpans } from "./call-spans.ts";
import { openDelivery } from "./delivery.ts";
import { openSpanSender } from "./exporters.ts";
import { openFetchSpans } from "./fetch-spans.ts";
import type { TracesPlan } from "./plan.ts";
import { openSampling } from "./sampling.ts";
import { openSpanContexts } from "./span-contexts.ts";
import { openBatches } from "./span-message.ts";
import { openSpanQueue } from "./span-queue.ts";
import { openStoreSpans } from "./store-spans.ts";

/** A running tracing. */
export interface Traces {
  readonly observer: CallObserver;
  readonly beginSpan: BeginSpan;
  /** Returns the trace id of a call in progress; undefined when it has none. */
  readonly traceId: (callId: string) => string | undefined;
  readonly store: (event: StoreEvent) => void;
  /** Wraps a fetch, so that it has a span and carries its trace. */
  readonly tracedFetch: (fetchText: FetchText) => FetchText;
  /** Sends what waits, without retries. */
  readonly shutdown: () => Promise<void>;
  readonly destroy: () => void;
}

/** Starts tracing. */
export async function openTraces(
  plan: TracesPlan,
  { resource, log }: { readonly resource: resources.Resource; readonly log: Log },
): Promise<Traces> {
  const { sender, destroy } = await openSpanSender(plan.connection);
  const delivery = openDelivery("traces", plan.connection, log);
  const begin = openBatches({ resource, scope: { name: "authz", version } });
  const queue = openSpanQueue({ begin, sender, delivery }, plan.queue);
  const contexts = openSpanContexts(openSampling(plan.sampler));
  const { observer, beginSpan, traceId, asking } = openCallSpans(contexts, queue);
  return {
    observer,
    beginSpan,
    traceId,
    store: openStoreSpans(contexts, queue),
    tracedFetch: openFetchSpans(contexts, queue, asking),
    shutdown: () => {
      delivery.close();
      return queue.shutdown();
    },
    destroy,
  };
}
