/** Decides which calls are traced, and draws the ids of traces and spans. Where no caller has a say, a random number decides before anything is allocated for the call. */
import { TraceFlags, type SpanContext } from "@opentelemetry/api";
import { randomFillSync } from "node:crypto";
import type { Sampler } from "./plan.ts";

/** Decides, and makes ids. */
export interface Sampling {
  /** Draws whether a trace is sampled that begins here: its id, or undefined when there is nothing to trace. */
  readonly drawSampled: () => string | undefined;
  /** Is a call sampled whose caller has this span? */
  readonly follows: (parent: SpanContext) => boolean;
  /** The id of a trace that begins here, sampled or not. */
  readonly traceId: () => string;
  /** Is a trace of this id sampled, if nobody else has a say? */
  readonly samples: (traceId: string) => boolean;
  readonly spanId: () => string;
}

/** Bytes of a word, of a span's id and of a trace's. */
const [word, ofSpan, ofTrace] = [4, 8, 16];
const anyWord = 2 ** 32;

/** Opens it, for ids that are random; sampled is the part of them that the sampler says. */
export function openSampling(sampler: Sampler): Sampling {
  const ratio = rootRatio(sampler);
  // As the packages of OpenTelemetry have it: an id is sampled when its words, mixed, are less than this.
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
  /** So many bytes, in hexadecimal. */
  readonly hex: (bytes: number) => string;
  /** A trace's id whose words, mixed, are this. */
  readonly mixedTo: (mix: number) => string;
}

/** Random bytes, many at once: one call to the generator costs more than many ids. */
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
