/** How whatever was thrown becomes a text. */
import { expect, test } from "vitest";
import { reasonOf } from "../../../runtime/sandbox/reason.ts";

const withName = (name: unknown): Error => Object.defineProperty(new Error("x"), "name", { value: name });
const hostile = Object.defineProperty(new Error("x"), "message", {
  get: () => {
    throw new Error("again");
  },
});

test.each<[string, unknown, string]>([
  ["an error", new TypeError("no such thing"), "TypeError: no such thing"],
  ["a long error", new Error("x".repeat(9_999)), `Error: ${"x".repeat(293)}`],
  ["a string", "boom", "something that is not an error was thrown"],
  ["nothing", undefined, "something that is not an error was thrown"],
  ["an object that looks like an error", { name: "Error", message: "x" }, "something that is not an error was thrown"],
  ["an error whose name is no text", withName({ toString: () => "x" }), "an error without words was thrown"],
  ["an error that fails when it is read", hostile, "an error that cannot be read was thrown"],
])("%s", (_what, thrown, reason) => {
  expect(reasonOf(thrown)).toBe(reason);
});
