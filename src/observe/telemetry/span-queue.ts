/** A bounded queue of ended spans, sent in batches: spans that do not fit are dropped and counted, and no call waits for a collector. */
import type { Delivery, Send } from "./delivery.ts";
import type { TracesPlan } from "./plan.ts";
import type { EndedSpan, SpanBatch } from "./span-message.ts";

/** Sends batches to a collector. */
export interface SpanSender {
  readonly export: Send<Uint8Array>;
  /** Waits for pending exports, and closes. */
  readonly shutdown: () => Promise<void>;
}

/** The queue in front of a sender. */
export interface SpanQueue {
  readonly add: (span: EndedSpan) => void;
  /** Sends what waits, and closes. */
  readonly shutdown: () => Promise<void>;
}

/** What the queue uses. */
export interface SpanQueueOptions {
  readonly begin: () => SpanBatch;
  readonly sender: SpanSender;
  readonly delivery: Delivery;
}

/** How many batches are sent in parallel at the end; the OpenTelemetry packages refuse more than thirty. */
const together = 16;

/** Opens an empty queue. */
export function openSpanQueue({ begin, sender, delivery }: SpanQueueOptions, plan: TracesPlan["queue"]): SpanQueue {
  const { most, batch, delay, timeout } = plan;
  const send = delivery.watched<Uint8Array>((bytes, done) => sender.export(bytes, done));
  const full: SpanBatch[] = [];
  let filling = begin();
  /** How many spans have ended and were not sent yet. */
  let waiting = 0;
  let sending = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  /** Resolves when the batch has been delivered or given up, or after the timeout. */
  const give = (spans: SpanBatch): Promise<void> =>
    new Promise((resolve) => {
      waiting -= spans.spans();
      const late = setTimeout(resolve, timeout);
      send(spans.seal(), () => {
        clearTimeout(late);
        resolve();
      });
    });
  const fill = (): void => {
    full.push(filling);
    filling = begin();
  };
  const giveNext = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (full.length === 0) fill();
    const next = full.shift();
    if (next === undefined) return;
    sending = true;
    void give(next).then(() => {
      sending = false;
      if (waiting > 0 && !closed) schedule();
    });
  };
  const schedule = (): void => {
    if (sending) return;
    if (full.length > 0) giveNext();
    else timer ??= setTimeout(giveNext, delay).unref();
  };

  return {
    add: (span) => {
      if (closed) return;
      if (waiting >= most) return delivery.dropped(1);
      waiting++;
      filling.add(span);
      if (filling.spans() >= batch) fill();
      schedule();
    },
    shutdown: async () => {
      closed = true;
      clearTimeout(timer);
      if (filling.spans() > 0) fill();
      while (full.length > 0) await Promise.all(full.splice(0, together).map(give));
      await sender.shutdown();
    },
  };
}
