/** The contexts of new spans: the root of a trace, a child of a span, or the continuation of a caller's trace. */
import { TraceFlags, type SpanContext } from "@opentelemetry/api";
import type { Sampling } from "./sampling.ts";

/** Creates the context of a span: trace id, span id, and whether it is sampled. */
export interface SpanContexts {
  /** Returns the root of a new trace, sampled or not. */
  readonly root: () => SpanContext;
  /** Returns a child, sampled like its parent. */
  readonly below: (parent: SpanContext) => SpanContext;
  /** Returns the context of a call: within its caller's trace, or the root of a new sampled trace; undefined when it is not traced. */
  readonly ofCall: (caller: SpanContext | undefined) => SpanContext | undefined;
}

/** Opens them, with ids and decisions of `sampling`. */
export function openSpanContexts(sampling: Sampling): SpanContexts {
  const spanOf = (traceId: string, traceFlags: number, { traceState }: Pick<SpanContext, "traceState"> = {}): SpanContext => {
    const spanId = sampling.spanId();
    return traceState === undefined ? { traceId, spanId, traceFlags } : { traceId, spanId, traceFlags, traceState };
  };
  return {
    root: () => {
      const traceId = sampling.traceId();
      return spanOf(traceId, sampling.samples(traceId) ? TraceFlags.SAMPLED : TraceFlags.NONE);
    },
    below: (parent) => spanOf(parent.traceId, parent.traceFlags, parent),
    ofCall: (caller) => {
      const traceId = caller === undefined ? sampling.drawSampled() : caller.traceId;
      if (traceId === undefined) return undefined; // a trace that nobody sees
      const traceFlags = caller === undefined || sampling.follows(caller) ? TraceFlags.SAMPLED : TraceFlags.NONE;
      return spanOf(traceId, traceFlags, caller);
    },
  };
}

/** Returns whether a span is recorded and sent. */
export const isSampled = ({ traceFlags }: SpanContext): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0;
