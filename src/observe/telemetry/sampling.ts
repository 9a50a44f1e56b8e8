/** Which calls are traced. Where no caller has a say a random number tells, and is asked before anything is made for the call. */
import { randomFillSync } from "node:crypto";
import { tracing } from "@opentelemetry/sdk-node";
import type { Sampler } from "./plan.ts";

/** Makes the ids of traces and spans. */
export interface TraceIds extends tracing.IdGenerator {
  /** Draws the id of a trace that begins here. Is it sampled, the next trace has it; is it not, there is nothing to trace. */
  readonly drawSampled: () => boolean;
}

/** An id has so many, of 32 bits each. */
const words = 4;
const anyWord = 2 ** 32;

/** Opens ids, random ones; sampled is the part of them that the sampler says. */
export function openTraceIds(sampler: Sampler): TraceIds {
  const ratio = rootRatio(sampler);
  // As the packages have it, who are asked again with what was drawn: an id is sampled when its words, mixed, are less than this.
  const bound = ratio === 1 ? anyWord : Math.floor(ratio * (anyWord - 1));
  const { generateTraceId, generateSpanId } = new tracing.RandomIdGenerator();
  // One call to the generator costs more than many ids.
  const pool = new Uint32Array(words * 256);
  let used = pool.length;
  let drawn: string | undefined;
  return {
    drawSampled: () => {
      if (bound === 0) return false;
      if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      const from = used;
      used += words;
      let mixed = 0;
      for (let at = from; at < used; at++) mixed ^= pool[at] ?? 0;
      if (mixed >>> 0 >= bound) return false;
      drawn = Array.from(pool.subarray(from, used), (word) => word.toString(16).padStart(8, "0")).join("");
      return true;
    },
    generateTraceId: () => {
      const id = drawn ?? generateTraceId();
      drawn = undefined;
      return id;
    },
    generateSpanId,
  };
}

/** What the packages decide by, of traces that callers began too. */
export function samplerOf(sampler: Sampler): tracing.Sampler {
  const root = new tracing.TraceIdRatioBasedSampler(rootRatio(sampler));
  return sampler.kind.startsWith("parentbased_") ? new tracing.ParentBasedSampler({ root }) : root;
}

/** The part that is sampled of the traces that begin here. */
function rootRatio({ kind, ratio }: Sampler): number {
  switch (kind) {
    case "always_on":
    case "parentbased_always_on":
      return 1;
    case "always_off":
    case "parentbased_always_off":
      return 0;
    case "traceidratio":
    case "parentbased_traceidratio":
      return ratio;
  }
}
