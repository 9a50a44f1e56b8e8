/** Which program texts are refused before they are evaluated. */
import { expect, test } from "vitest";
import { refusalOf } from "../../../runtime/sandbox/gate.ts";

test.each([
  ["an arrow function", "(rt, k) => rt.ALLOW"],
  ["strings of any content", '(rt) => rt.get("async // /* ` \' \\" \\\\", "\\u0061sync")'],
  ["names that contain the word", "(rt) => rt.asynchronous + my_async + asyncs"],
])("%s passes", (_what, program) => {
  expect(refusalOf(program)).toBeUndefined();
});

const asynchronous = "the program of a unit may not be asynchronous";
const hiding = (what: string): string => `the program of a unit may not contain \`${what}\` outside a double-quoted string`;

test.each([
  ["an async arrow function", "(rt) => async () => rt", asynchronous],
  ["an async method", "(rt) => ({ async f() {} })", asynchronous],
  ["one after a string with quotes", '(rt) => ["\\"", async () => "\\""]', asynchronous],
  ["one between strings that end in backslashes", '["\\\\", async () => {}, "\\\\"]', asynchronous],
  ["one on a line of its own", "(rt) => [\nasync () => {}]", asynchronous],
  ["one behind a regular expression that looks like a string's start", '[/"/, async () => {}, /"/]', hiding("/")],
  ["one behind a comment that looks like a string's start", '[ /* " */ async () => {} /* " */ ]', hiding("/")],
  ["one behind other quotes", "['\"', async () => {}, '\"']", hiding("'")],
  ["one in a template", '[`"${async () => {}}"`]', hiding("`")],
  ["one spelled with an escape", "(rt) => \\u0061sync () => {}", hiding("\\")],
  ["a string that does not end", '(rt) => "abc', hiding('"')],
  ["a string that breaks its line", '(rt) => "a\nb"', hiding('"')],
])("%s is refused", (_what, program, why) => {
  expect(refusalOf(program)).toBe(why);
});
