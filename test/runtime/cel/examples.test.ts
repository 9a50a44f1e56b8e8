/** Every function row says what it means by examples; here they are asked of parser, checker and interpreter. */
import { describe, expect, test } from "vitest";
import { functionRows, overloadsOf } from "../../../runtime/cel/functions/index.ts";
import { ask } from "./ask.ts";

describe.each(functionRows.map((row) => [row.id, row] as const))("%s", (_, row) => {
  test.each(row.examples)("%s is %s", (expression, value) => {
    // An example names the kind of an error, not its whole message.
    if (value.startsWith("error: ")) expect(ask(expression).slice(0, value.length)).toBe(value);
    else expect(ask(expression)).toBe(value);
  });
});

test("every row has an example, and every id is used once", () => {
  expect(functionRows.filter((row) => row.examples.length === 0).map((row) => row.id)).toEqual([]);
  const ids = functionRows.map((row) => row.id);
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
});

test("a name finds its rows", () => {
  expect(overloadsOf("startsWith").map((row) => row.id)).toEqual(["starts_with_string"]);
  expect(overloadsOf("toString")).toEqual([]);
  expect(overloadsOf("constructor")).toEqual([]);
});
