/** What an evaluator remembers never answers another request: long sequences of requests that are nearly alike, policies that change between them. */
import { expect, test } from "vitest";
import { nothingCounted, playSequence, printSequenceFinding } from "./sequence.ts";

const long = process.env["AUTHZ_SEQUENCES"] !== undefined;
const sequences = Number(process.env["AUTHZ_SEQUENCES"] ?? 8);
const from = Number(process.env["AUTHZ_SEQUENCES_FROM"] ?? 0);
const calls = long ? 400 : 120;
const seed = Number(process.env["AUTHZ_SEED"] ?? (long ? Math.floor(Math.random() * 2 ** 32) : 11));

test(
  `requests that are nearly alike are each answered by themselves (${sequences} sequences, AUTHZ_SEED=${seed})`,
  { timeout: long ? 7_200_000 : 120_000 },
  () => {
    const counts = nothingCounted();
    for (let sequence = from; sequence < from + sequences; sequence++) {
      const found = playSequence(seed, sequence, calls, counts);
      if (found !== undefined) throw new Error(`AUTHZ_SEED=${seed} AUTHZ_SEQUENCES_FROM=${sequence}\n${printSequenceFinding(found)}`);
      if (long && sequence % 50 === 49) console.log(JSON.stringify(counts));
    }
    console.log(`AUTHZ_SEED=${seed}: ${JSON.stringify(counts)}`);
    // What allows nothing, or never changes, would prove little.
    expect(counts.allowed / counts.decisions).toBeGreaterThan(0.05);
    expect(counts.reloads).toBeGreaterThan(0);
    expect(counts.refused).toBeLessThanOrEqual(sequences * 0.05);
  },
);
