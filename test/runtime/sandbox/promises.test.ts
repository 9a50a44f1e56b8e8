/** Which program texts the compartment refuses by itself, because they could make a promise. */
import { expect, test } from "vitest";
import { promiseIn } from "../../../runtime/sandbox/promises.ts";

test.each([
  ["an arrow function", "(rt, k) => rt.ALLOW"],
  ["strings of any content", '(rt) => rt.get("async // /* ` \' \\" \\\\", "\\u0061sync import.source")'],
  ["names that contain the words", "(rt) => rt.asynchronous + my_async + asyncs + imported"],
  ["what only the gate refuses", "(rt) => /[`']/.test(`'`)"],
])("%s passes", (_what, program) => {
  expect(promiseIn(program)).toBeUndefined();
});

test.each([
  ["an async arrow function", "(rt) => async () => rt"],
  ["an async method", "(rt) => ({ async f() {} })"],
  ["one after a string with quotes", '(rt) => ["\\"", async () => "\\""]'],
  ["one between strings that end in backslashes", '["\\\\", async () => {}, "\\\\"]'],
  ["one on a line of its own", "(rt) => [\nasync () => {}]"],
  ["one behind a regular expression that looks like a string's start", '[/"/, async () => {}, /"/]'],
  ["one behind a comment that looks like a string's start", '[ /* " */ async () => {} /* " */ ]'],
  ["one behind other quotes", "['\"', async () => {}, '\"']"],
  ["one in a template", '[`"${async () => {}}"`]'],
  ["one between strings that do not end", '"\nasync () => {}\n"'],
  ["an import of a phase", 'import.source("node:fs")'],
  ["a deferred import behind a line", 'import\n.defer("node:fs")'],
  ["the word in the string of a program that also has a template", '["async", `x`]'],
])("%s is refused", (_what, program) => {
  expect(promiseIn(program)).toBe("the program of a unit may not be asynchronous");
});
