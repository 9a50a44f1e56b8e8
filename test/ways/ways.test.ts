/** However a question is asked, whatever was asked before, and whether it is recorded or not: the answer is the same, and so is what is recorded of it. */
import { expect, test } from "vitest";
import { nothingCounted, playRound } from "./run.ts";

const long = process.env["AUTHZ_WAYS_ROUNDS"] !== undefined;
const rounds = Number(process.env["AUTHZ_WAYS_ROUNDS"] ?? 3);
const from = Number(process.env["AUTHZ_WAYS_FROM"] ?? 0);
const questions = long ? 120 : 40;
const seed = Number(process.env["AUTHZ_SEED"] ?? (long ? Math.floor(Math.random() * 2 ** 32) : 5));

test(`whichever way a question comes, it has the same answer (${rounds} rounds, AUTHZ_SEED=${seed})`, { timeout: 7_200_000 }, async () => {
  const counts = nothingCounted();
  for (let round = from; round < from + rounds; round++) {
    const found = await playRound(seed, round, questions, counts);
    if (found !== undefined) throw new Error(found);
    if (long && round % 20 === 19) console.log(JSON.stringify(counts));
  }
  console.log(`AUTHZ_SEED=${seed}: ${JSON.stringify(counts)}`);
  // What allows nothing, records nothing or is refused would prove little.
  expect(counts.allowed / counts.decisions).toBeGreaterThan(0.05);
  expect(counts.entries).toBeGreaterThan(counts.calls / 4);
  expect(counts.refused).toBeLessThan(counts.calls / 2);
});
