/** Lines that another process writes are handed over whole, wherever the pipe cuts them. */
import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { relayLines } from "../../src/workers/relay-lines.ts";

async function relayed(pieces: readonly Uint8Array[]): Promise<readonly string[]> {
  const pipe = new PassThrough();
  const heard: string[] = [];
  relayLines(pipe, (lines) => void heard.push(lines));
  for (const piece of pieces) {
    pipe.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  pipe.end();
  await finished(pipe);
  return heard;
}

test.each<readonly [sentence: string, pieces: readonly string[], heard: readonly string[]]>([
  ["lines that come together are handed over together", ["a\nb\n"], ["a\nb\n"]],
  ["a line in pieces is handed over when it is whole", ["a", "b", "c\n"], ["abc\n"]],
  ["what begins behind a line waits for its end", ["a\nb", "c\nd\n"], ["a\n", "bc\nd\n"]],
  ["a last line that never was whole is ended", ["a\nb"], ["a\n", "b\n"]],
  ["of nothing nothing is handed over", [], []],
])("%s", async (_, pieces, heard) => {
  expect(await relayed(pieces.map((piece) => Buffer.from(piece)))).toEqual(heard);
});

test("whatever is written and wherever it is cut, it comes in order and in whole lines", async () => {
  const line = fc.string({ unit: fc.constantFrom("a", "é", "日", "😀", '"'), maxLength: 5 });
  const cuts = fc.array(fc.nat(60), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), cuts, async (lines, places) => {
      const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(""));
      const ends = [...places.map((place) => Math.min(place, bytes.length)).toSorted((one, other) => one - other), bytes.length];
      const heard = await relayed(ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end)));
      expect(heard.join("")).toBe(bytes.toString("utf8"));
      expect(heard.every((each) => each.endsWith("\n"))).toBe(true);
    }),
    { numRuns: 200 },
  );
});
