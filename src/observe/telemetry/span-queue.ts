/** A bounded queue of ended spans, sent in batches: what does not fit is dropped and counted, and nobody waits for a collector. */
import type { Delivery, Send } from "./delivery.ts";
import type { TracesPlan } from "./plan.ts";
import type { EndedSpan, SpanBatch } from "./span-message.ts";

/** Takes batches to a collector. */
export interface SpanSender {
  readonly export: Send<Uint8Array>;
  /** Waits for what is on its way, and closes. */
  readonly shutdown: () => Promise<void>;
}

/** The queue in front of a sender. */
export interface SpanQueue {
  readonly add: (span: EndedSpan) => void;
  /** Sends what waits, and closes. */
  readonly shutdown: () => Promise<void>;
}

/** What spans go through. */
export interface SpanQueueOptions {
  readonly begin: () => SpanBatch;
  readonly sender: SpanSender;
  readonly delivery: Delivery;
}

/** So many batches are sent at a time in the end; the packages of OpenTelemetry refuse more than thirty. */
const together = 16;

/** Opens an empty queue. */
export function openSpanQueue({ begin, sender, delivery }: SpanQueueOptions, plan: TracesPlan["queue"]): SpanQueue {
  const { most, batch, delay, timeout } = plan;
  const send = delivery.watched<Uint8Array>((bytes, done) => sender.export(bytes, done));
  const full: SpanBatch[] = [];
  let filling = begin();
  /** Ended, and not yet given to the sender. */
  let waiting = 0;
  let sending = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  /** Resolves when it has arrived, is given up, or may not be waited for any longer. */
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
