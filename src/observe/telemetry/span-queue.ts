/** Ended spans wait for company, so many at most; what comes on top is thrown away, counted, and never waited for. */
import { tracing } from "@opentelemetry/sdk-node";
import type { Delivery } from "./delivery.ts";
import type { TracesPlan } from "./plan.ts";

/** Opens the queue in front of an exporter. */
export function boundedProcessor(
  exporter: tracing.SpanExporter,
  delivery: Delivery,
  { most, batch, delay, timeout }: TracesPlan["queue"],
): tracing.SpanProcessor {
  let waiting = 0;
  const send = delivery.watched((spans: tracing.ReadableSpan[], done) => exporter.export(spans, done));
  const queue = new tracing.BatchSpanProcessor(
    {
      export: (spans, done) => {
        waiting -= spans.length;
        send(spans, done);
      },
      shutdown: () => exporter.shutdown(),
    },
    { maxQueueSize: most, maxExportBatchSize: batch, scheduledDelayMillis: delay, exportTimeoutMillis: timeout },
  );
  return {
    onStart: () => undefined,
    onEnd: (span) => {
      // The queue drops what is too much as well, but in silence.
      if (waiting >= most) return delivery.dropped(1);
      waiting++;
      queue.onEnd(span);
    },
    forceFlush: () => queue.forceFlush(),
    shutdown: () => queue.shutdown(),
  };
}
