/** Indenting JSON text changes white space and nothing else. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pretty } from "../../../runtime/wire/pretty.ts";

test.each([
  ["an object", '{"a":1,"b":[true,null]}', '{\n  "a": 1,\n  "b": [\n    true,\n    null\n  ]\n}'],
  ["empty ones", '{"a":{},"b":[ ]}', '{\n  "a": {},\n  "b": []\n}'],
  ["keys like numbers, in the order they came", '{"2":1,"1":2}', '{\n  "2": 1,\n  "1": 2\n}'],
  ["a key of every object's prototype", '{"__proto__":{"x":1}}', '{\n  "__proto__": {\n    "x": 1\n  }\n}'],
  ["a key given twice", '{"a":1,"a":2}', '{\n  "a": 1,\n  "a": 2\n}'],
  ["structure inside strings", '["{,:}","\\"],","\\\\"]', '[\n  "{,:}",\n  "\\"],",\n  "\\\\"\n]'],
  ["numbers as they are spelled", "[1e3,-0,1.0]", "[\n  1e3,\n  -0,\n  1.0\n]"],
  ["a text that is indented already", '{\n\t"a" : 1\r\n}', '{\n  "a": 1\n}'],
  ["a lone value", '"x"', '"x"'],
])("%s", (_what, text, indented) => {
  expect(pretty(text)).toBe(indented);
});

test("what JSON.stringify indents, it indents the same", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(pretty(JSON.stringify(value))).toBe(JSON.stringify(value, undefined, 2));
    }),
  );
});
