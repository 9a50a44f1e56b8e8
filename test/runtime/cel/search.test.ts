/** Our own search finds what the engine's finds. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { findLastText, findText } from "../../../runtime/cel/search.ts";

const text = fc.array(fc.constantFrom("a", "b", "aaaa", "abab", "\u{1F600}"), { maxLength: 60 }).map((parts) => parts.join(""));

test("the first and the last place, from anywhere", () => {
  fc.assert(
    fc.property(text, text, text, fc.nat({ max: 120 }), (before, part, after, from) => {
      for (const whole of [before + part + after, before + after, before + part.slice(1) + part + after]) {
        expect(findText(whole, part, from)).toBe(whole.indexOf(part, from));
        expect(findLastText(whole, part, from)).toBe(whole.lastIndexOf(part, from));
      }
    }),
  );
});

test("the same where text and part are so long that the engine would not be asked", () => {
  const long = fc
    .array(fc.constantFrom("a", "aab", "abab", "aaaaaaaab"), { minLength: 8, maxLength: 20 })
    .map((parts) => parts.join("").padEnd(17, "a"));
  fc.assert(
    fc.property(long, text, text, fc.nat({ max: 3000 }), (part, before, after, from) => {
      const almost = part.slice(0, -1);
      const filler = `${before}${almost}`.repeat(Math.ceil(1024 / almost.length));
      // What begins like the part again and again, with it within, at the end, twice and overlapping, and not at all.
      for (const whole of [
        `${filler}${part}${after}${filler}`,
        `${filler}${part}`,
        `${part}${filler}${part.slice(1)}${part}`,
        `${filler}${after}`,
        `${filler}b${part.slice(1)}`,
      ]) {
        expect(whole.length * part.length).toBeGreaterThan(16_384);
        expect(findText(whole, part, from)).toBe(whole.indexOf(part, from));
        expect(findText(whole, part)).toBe(whole.indexOf(part));
        expect(findLastText(whole, part, from)).toBe(whole.lastIndexOf(part, from));
        expect(findLastText(whole, part)).toBe(whole.lastIndexOf(part));
      }
    }),
  );
});
