/** A message of gRPC that comes in pieces is gathered as long as it can still be one that we read ourselves. */
import { expect, test } from "vitest";
import { MessageAssembler, isWholeMessage } from "../../src/server/grpc/message-assembler.ts";

const maxBytes = 10;
const message = (text: string, flag = 0, length = text.length): Buffer =>
  Buffer.concat([Buffer.of(flag, 0, 0, 0, length), Buffer.from(text)]);

test.each<readonly [sentence: string, pieces: readonly Buffer[], taken: readonly boolean[], isWhole: boolean]>([
  ["a message at once", [message("abc")], [true], true],
  ["its prefix first", [message("", 0, 3), Buffer.from("abc")], [true, true], true],
  ["its prefix in pieces", [Buffer.of(0, 0), Buffer.of(0, 0, 2, 0x61), Buffer.from("b")], [true, true, true], true],
  ["a message of no bytes", [Buffer.of(0, 0, 0), Buffer.of(0, 0)], [true, true], true],
  ["as many bytes as are allowed", [message("", 0, 10), Buffer.alloc(10)], [true, true], true],
  ["one byte more", [message("", 0, 11)], [false], false],
  ["a length of four bytes", [Buffer.of(0, 0xff, 0xff, 0xff, 0xff)], [false], false],
  ["the beginning of a message", [message("ab", 0, 3)], [true], false],
  ["the beginning of a prefix", [Buffer.of(0, 0)], [true], false],
  ["nothing", [], [], false],
  ["what goes on behind its end", [message("abc"), Buffer.from("d")], [true, false], false],
  ["what ends and goes on in one piece", [message("", 0, 3), Buffer.from("abcd")], [true, false], false],
  ["what is compressed", [message("abc", 1)], [false], false],
  ["what says in its first piece that it is compressed", [Buffer.of(1, 0), Buffer.of(0, 0, 0)], [true, false], false],
])("%s", (_, pieces, taken, isWhole) => {
  const assembler = new MessageAssembler(maxBytes);
  expect(pieces.map((piece) => assembler.add(piece))).toEqual(taken);
  const all = Buffer.concat(pieces);
  expect(assembler.whole?.toString("hex")).toBe(isWhole ? all.toString("hex") : undefined);
  expect(assembler.all().toString("hex")).toBe(all.toString("hex"));
  expect(isWholeMessage(all, maxBytes)).toBe(isWhole);
});
