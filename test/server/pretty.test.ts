/** JSON laid out for people. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { prettyJson } from "../../src/server/pretty.ts";

test.each([
  ['{"a":1,"b":[true,null]}', '{\n  "a": 1,\n  "b": [\n    true,\n    null\n  ]\n}\n'],
  ["{}", "{}\n"],
  ["[ ]", "[]\n"],
  ['{"a":{}}', '{\n  "a": {}\n}\n'],
  ['{"10":1,"2":"x, {y}: [z]"}', '{\n  "10": 1,\n  "2": "x, {y}: [z]"\n}\n'], // keys keep their order, strings their content
  ['"a\\"b\\\\"', '"a\\"b\\\\"\n'],
  ["1.50", "1.50\n"],
])("%s", (text, laidOut) => {
  expect(prettyJson(text)).toBe(laidOut);
});

test("laying out never changes what is said", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.parse(prettyJson(text))).toEqual(JSON.parse(text));
      expect(prettyJson(prettyJson(text))).toBe(prettyJson(text));
    }),
  );
});
