/** `runtime/cel/FUNCTIONS.md` is the page that the rows print, and it leaves nothing out. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { expect, it } from "vitest";
import { macroForms } from "../../compiler/cel/macros.ts";
import { functionRows } from "../../runtime/cel/functions/index.ts";
import { families } from "../../runtime/cel/reference/families.ts";
import { macroEntries } from "../../runtime/cel/reference/macros.ts";
import { printReference } from "../../runtime/cel/reference/print.ts";
import { ask } from "../runtime/cel/ask.ts";

const file = "runtime/cel/FUNCTIONS.md";

it("is the page that the rows print", () => {
  const page = printReference();
  if (process.env["AUTHZ_ACCEPT"] === "1") writeFileSync(file, page);
  expect(existsSync(file), "npm run golden -- --accept writes it").toBe(true);
  expect(page).toBe(readFileSync(file, "utf8"));
});

it("shows every row, and says something of every name", () => {
  expect(families.flatMap(({ rows }) => rows)).toEqual(functionRows);
  for (const { rows, sentences } of families) {
    expect(Object.keys(sentences).toSorted()).toEqual([...new Set(rows.map(({ name }) => name))].toSorted());
    expect(Object.values(sentences).filter((sentence) => !/^.{3,}\.$/s.test(sentence))).toEqual([]);
  }
});

it("shows every macro", () => {
  const shown = new Set([
    ...macroEntries.map(({ name }) => name),
    "exists_one",
    ...functionRows.map(({ name }) => name.replace("math.", "")),
  ]);
  expect([...macroForms.keys()].map((name) => name.slice(name.lastIndexOf(".") + 1)).filter((name) => !shown.has(name))).toEqual([]);
});

it.each(macroEntries.flatMap(({ examples }) => examples))("%s is %s", (expression, value) => {
  if (value.startsWith("error: ")) expect(ask(expression).slice(0, value.length)).toBe(value);
  else expect(ask(expression)).toBe(value);
});
