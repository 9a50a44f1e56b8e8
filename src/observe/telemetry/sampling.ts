/**
 * Decides which calls are traced, and generates trace and span ids. For calls without a caller's trace, a random number is drawn before
 * anything is allocated.
 */
import { TraceFlags, type SpanContext } from "@opentelemetry/api";
import { randomFillSync } from "node:crypto";
import type { Sampler } from "./plan.ts";

/** Decides, and generates ids. */
export interface Sampling {
  /** Draws whether a new trace is sampled; returns its id, or undefined when it is not and needs no id. */
  readonly drawSampled: () => string | undefined;
  /** Returns whether a call is sampled, given its caller's span. */
  readonly follows: (parent: SpanContext) => boolean;
  /** Returns the id of a new trace, sampled or not. */
  readonly traceId: () => string;
  /** Returns whether a new trace with this id is sampled. */
  readonly samples: (traceId: string) => boolean;
  readonly spanId: () => string;
}

/** The sizes in bytes of a word, a span id and a trace id. */
const [word, ofSpan, ofTrace] = [4, 8, 16];
const anyWord = 2 ** 32;

/** Opens sampling for random ids, of which the sampler's ratio is sampled. */
export function openSampling(sampler: Sampler): Sampling {
  const ratio = rootRatio(sampler);
  // As in the OpenTelemetry packages: an id is sampled when the XOR of its words is less than this.
  const bound = ratio === 1 ? anyWord : Math.floor(ratio * (anyWord - 1));
  const parentBased = sampler.kind.startsWith("parentbased_");
  const random = openRandom();
  const samples = (traceId: string): boolean => mixed(traceId) < bound;
  return {
    drawSampled: () => {
      if (bound === 0) return undefined;
      const mix = random.word();
      return mix < bound ? random.mixedTo(mix) : undefined;
    },
    follows: ({ traceId, traceFlags }) => (parentBased ? (traceFlags & TraceFlags.SAMPLED) !== 0 : samples(traceId)),
    traceId: () => random.hex(ofTrace),
    samples,
    spanId: () => random.hex(ofSpan),
  };
}

interface Random {
  readonly word: () => number;
  /** Returns random bytes in hexadecimal. */
  readonly hex: (bytes: number) => string;
  /** Returns a trace id whose words mix to this value. */
  readonly mixedTo: (mix: number) => string;
}

/** Draws random bytes from a pool: one call of the generator costs more than many ids. */
function openRandom(): Random {
  const pool = Buffer.allocUnsafeSlow(2 ** 12);
  let used = pool.length;
  const take = (bytes: number): number => {
    if (used + bytes > pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += bytes;
    return used - bytes;
  };
  const hexAt = (from: number, bytes: number): string => pool.toString("hex", from, from + bytes);
  return {
    word: () => pool.readUInt32BE(take(word)),
    hex: (bytes) => hexAt(take(bytes), bytes),
    mixedTo: (mix) => {
      const from = take(ofTrace);
      const last = from + ofTrace - word;
      let rest = mix;
      for (let at = from; at < last; at += word) rest ^= pool.readUInt32BE(at);
      pool.writeInt32BE(rest | 0, last);
      return hexAt(from, ofTrace);
    },
  };
}

function mixed(id: string): number {
  let mix = 0;
  for (let at = 0; at < id.length; at += 2 * word) mix ^= Number.parseInt(id.slice(at, at + 2 * word), 16);
  return mix >>> 0;
}

/** Returns the share of new traces that are sampled. */
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
