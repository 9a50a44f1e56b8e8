/** The identities of new spans: where a trace begins here, below another span, or as a caller's trace goes on. */
import { TraceFlags, type SpanContext } from "@opentelemetry/api";
import type { Sampling } from "./sampling.ts";

/** Makes the context of each new span: its trace, an id of its own, and whether it is sampled. */
export interface SpanContexts {
  /** A trace that begins here, sampled or not. */
  readonly root: () => SpanContext;
  /** A child, sampled as its parent is. */
  readonly below: (parent: SpanContext) => SpanContext;
  /** A call's: of its caller's trace, or of a sampled trace that begins here; undefined where there is nothing to trace. */
  readonly ofCall: (caller: SpanContext | undefined) => SpanContext | undefined;
}

/** Opens them, with ids and verdicts of `sampling`. */
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
      if (traceId === undefined) return undefined; // a trace of which nobody knows
      const traceFlags = caller === undefined || sampling.follows(caller) ? TraceFlags.SAMPLED : TraceFlags.NONE;
      return spanOf(traceId, traceFlags, caller);
    },
  };
}

/** Whether a span is recorded, and sent. */
export const isSampled = ({ traceFlags }: SpanContext): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0;
