/** The values of a text are counted before it is parsed, so that nobody makes the server parse too many. */
import { expect, test } from "vitest";
import { holdsMoreValuesThan } from "../../../runtime/wire/count-values.ts";

/** The number at which a text is refused no longer. */
const countOf = (text: string): number => {
  let most = 0;
  while (holdsMoreValuesThan(text, most)) most++;
  return most;
};

test.each<readonly [text: string, values: number]>([
  ["[]", 1],
  ["{}", 1],
  ["[1]", 1],
  ["[1,2,3]", 3],
  ['{"a":1,"b":2}', 2],
  ["[[],{}]", 4],
  ['[{"a":[1,2]},{"b":{}}]', 7],
  // What stands in a string is no value, and what stands behind it is one.
  ['["a,b,[{,"]', 1],
  ['["a,b",2,3]', 3],
  ['{"a,[":1,"b{":2}', 2],
  ['["\\",",2]', 2],
  ['["\\\\",2,3]', 3],
  ['["\\\\\\",",2]', 2],
  ['["\\",","\\",","\\","]', 3],
  ['["",",",2]', 3],
  // No JSON.
  ['["a,b,c', 1],
])("%s: %i", (text, values) => {
  expect(countOf(text)).toBe(values);
});
