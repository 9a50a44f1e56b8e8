/** Requests of `authzctl put`: which of them may be under way together, and what is told when one is refused. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { sendBatches, type BatchResult } from "../../src/cli/admin/send-batches.ts";

interface Item {
  readonly rank: number;
  readonly at: number;
}

/** Sends so many items of each rank to a server that answers when it likes; `refuses` says which requests it does not take. */
async function send(
  ranks: readonly (readonly [rank: number, count: number])[],
  refuses: (request: number) => boolean = () => false,
): Promise<{
  readonly sent: BatchResult<Item>;
  readonly most: number;
  readonly together: readonly (readonly number[])[];
  readonly requests: number;
}> {
  const items = ranks.flatMap(([rank, count]) => Array.from({ length: count }, (_, at): Item => ({ rank, at })));
  const underway = new Set<readonly Item[]>();
  const together: (readonly number[])[] = [];
  let [most, requests] = [0, 0];
  const sent = await sendBatches({
    items,
    bytesOf: () => 1000,
    rankOf: ({ rank }) => rank,
    send: async (batch) => {
      const request = requests++;
      underway.add(batch);
      most = Math.max(most, underway.size);
      together.push([...underway].map(([first]) => first?.rank ?? -1));
      await sleep((request * 7) % 13);
      underway.delete(batch);
      if (!refuses(request)) return { reply: {} };
      return { failure: { code: "INVALID_ARGUMENT", message: `request ${request}`, details: [], omitted: 0 } };
    },
  });
  return { sent, most, together, requests };
}

test.each<[sentence: string, ranks: readonly (readonly [number, number])[], requests: number, most: number]>([
  ["one request", [[2, 7]], 1, 1],
  ["the first goes alone, whatever follows", [[2, 200]], 2, 1],
  ["sixteen at a time", [[2, 4000]], 40, 16],
  [
    "what leans on others waits for them",
    [
      [0, 100],
      [1, 100],
      [2, 100],
      [3, 100],
    ],
    4,
    1,
  ],
  [
    "also where a request holds some of both",
    [
      [1, 150],
      [2, 150],
    ],
    3,
    1,
  ],
])("%s", async (_sentence, ranks, requests, most) => {
  const all = ranks.reduce((sum, [, count]) => sum + count, 0);
  const found = await send(ranks);
  expect(found).toMatchObject({ sent: { accepted: all }, requests, most });
  for (const ranksUnderway of found.together) expect(new Set(ranksUnderway).size).toBe(1);
});

test.each<[sentence: string, refuses: (request: number) => boolean, first: string]>([
  ["the first: nothing follows", (request) => request === 0, "request 0"],
  ["one of several: those with it are counted, nothing is sent after it was known", (request) => request === 1, "request 1"],
  ["several: the first in order is told", (request) => request === 3 || request === 2, "request 2"],
])("a refusal of %s", async (_sentence, refuses, first) => {
  const { sent, requests } = await send([[2, 4000]], refuses);
  expect(sent.refused?.failure.message).toBe(first);
  expect(requests).toBeLessThan(40);
  expect(sent.accepted).toBe((requests - [...Array.from({ length: requests }).keys()].filter(refuses).length) * 100);
});
