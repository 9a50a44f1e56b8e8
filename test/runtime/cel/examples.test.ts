/** Every function row says what it means by examples; here they are asked of parser, checker and interpreter. */
import { describe, expect, test } from "vitest";
import { functionRows, overloadsOf, plannedFunctions } from "../../../runtime/cel/functions/index.ts";
import { ask } from "./ask.ts";

describe.each(functionRows.filter((row) => row.examples.length > 0).map((row) => [row.id, row] as const))("%s", (_, row) => {
  test.each(row.examples)("%s is %s", (expression, value) => {
    // An example names the kind of an error, not its whole message.
    if (value.startsWith("error: ")) expect(ask(expression).slice(0, value.length)).toBe(value);
    else expect(ask(expression)).toBe(value);
  });
});

test("every function has an example in one of its rows, and every id is used once", () => {
  const names = new Set(functionRows.map((row) => row.name));
  const shown = new Set(functionRows.filter((row) => row.examples.length > 0).map((row) => row.name));
  expect([...names].filter((name) => !shown.has(name))).toEqual([]);
  const ids = functionRows.map((row) => row.id);
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
});

test("a name finds its rows, and what is planned is not there yet", () => {
  expect(overloadsOf("startsWith").map((row) => row.id)).toEqual(["starts_with_string"]);
  expect(overloadsOf("toString")).toEqual([]);
  expect(overloadsOf("constructor")).toEqual([]);
  expect([...plannedFunctions.keys()].filter((name) => overloadsOf(name).length > 0)).toEqual([]);
});
