/** Deltas of packs: copies and insertions in every way to write them, and what does not fit. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyDelta } from "../../src/store/git/delta.ts";

const limit = 2 ** 20;

/** A number as seven bits a byte, the lowest first. */
const size = (value: number): readonly number[] => (value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...size(Math.floor(value / 0x80))]);

/** A copy: only the bytes that are not zero are written; a count of 65,536 is written as zero. */
function copy(start: number, count: number): Buffer {
  const bytes = (value: number, many: number): readonly number[] =>
    Array.from({ length: many }, (_, at) => Math.floor(value / 256 ** at) % 256);
  const all = [...bytes(start, 4), ...bytes(count === 0x10000 ? 0 : count, 3)];
  const bits = all.reduce((found, byte, at) => (byte === 0 ? found : found | (1 << at)), 0x80);
  return Buffer.from([bits, ...all.filter((byte) => byte !== 0)]);
}
const insert = (text: string): Buffer => Buffer.concat([Buffer.of(text.length), Buffer.from(text, "latin1")]);
const delta = (from: number, to: number, ...steps: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([...size(from), ...size(to)]), ...steps]);

/** Bytes that differ wherever they lie. */
function bytesOf(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32LE(Math.imul(at + 1, 2654435761) >>> 0, at);
  return bytes;
}

const large = bytesOf(2 ** 24 + 2 ** 17);

describe("what a delta makes", () => {
  test("is what it copies and inserts, in its order", () => {
    const base = large.subarray(0, 2 ** 19);
    const step = fc.oneof(
      fc.record({ start: fc.nat(2 ** 19 - 0x10000), count: fc.oneof(fc.integer({ min: 1, max: 0x10000 }), fc.constant(0x10000)) }),
      fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)), minLength: 1, maxLength: 127 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const wanted = Buffer.concat(
          steps.map((one) => (typeof one === "string" ? Buffer.from(one, "latin1") : base.subarray(one.start, one.start + one.count))),
        );
        const written = steps.map((one) => (typeof one === "string" ? insert(one) : copy(one.start, one.count)));
        expect(applyDelta(base, delta(base.length, wanted.length, ...written), limit).equals(wanted)).toBe(true);
      }),
    );
  });

  test("may come from far behind, and be long", () => {
    const start = 2 ** 24 + 5;
    const made = applyDelta(large, delta(large.length, 0x12345, copy(start, 0x12345)), limit);
    expect(made.equals(large.subarray(start, start + 0x12345))).toBe(true);
  });

  test("may be as large as the limit, and as the base", () => {
    expect(applyDelta(large, delta(large.length, 3, copy(large.length - 3, 3)), 3).equals(large.subarray(-3))).toBe(true);
  });
});

describe("refused is", () => {
  const base = Buffer.from("abcdef");
  test.each<readonly [sentence: string, delta: Buffer, why: string]>([
    ["a delta on another base", delta(5, 1, copy(0, 1)), "a delta does not fit"],
    ["a copy past the end", delta(6, 4, copy(3, 4)), "a delta does not fit"],
    ["a copy that begins past the end", delta(6, 1, copy(7, 1)), "a delta does not fit"],
    ["more than was said", delta(6, 1, copy(0, 1), insert("x")), "a delta does not fit"],
    ["less than was said", delta(6, 3, copy(0, 1), insert("x")), "a delta does not fit"],
    ["an insertion that is cut off", delta(6, 3, Buffer.of(3, 120, 121)), "a delta does not fit"],
    ["a copy that is cut off", delta(6, 1, Buffer.of(0x91, 0)), "a delta does not fit"],
    ["an instruction that is none", delta(6, 1, insert("x"), Buffer.of(0)), "a delta does not fit"],
    ["a size that is cut off", Buffer.of(6, 0x80), "a delta does not fit"],
    ["nothing", Buffer.alloc(0), "a delta does not fit"],
    ["a size without end", Buffer.alloc(100, 0x81), "a delta does not fit"],
    [
      "a size of 2 ** 53 bytes and more",
      Buffer.from([6, ...Array.from({ length: 7 }, () => 0xff), 0x7f]),
      "an object of more than 10 bytes",
    ],
    ["one byte more than the limit", delta(6, 11, copy(0, 6), copy(0, 5)), "an object of more than 10 bytes"],
  ])("%s", (_sentence, bytes, why) => {
    expect(() => applyDelta(base, bytes, 10)).toThrow(why);
  });
});
