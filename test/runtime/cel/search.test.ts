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
