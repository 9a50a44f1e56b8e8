/** The tokens of a text: those of the whole parser, unless the text is nested deeper than is allowed. */
import { expect, test } from "vitest";
import { Parser } from "yaml";
import { limits } from "../../../compiler/yaml/limits.ts";
import { scanTokens } from "../../../compiler/yaml/scan-tokens.ts";
import { tokensOf } from "../../../compiler/yaml/tokens.ts";

const levels = (count: number, line: (indent: string) => string): string =>
  Array.from({ length: count }, (_, level) => line(" ".repeat(level))).join("");

test.each<readonly [shape: string, text: (depth: number) => string]>([
  ["mappings", (depth) => `${levels(depth, (indent) => `${indent}a:\n`)}${" ".repeat(depth)}b`],
  [
    "mappings by quoted keys, and a long text",
    (depth) => `${levels(depth, (indent) => `${indent}"a":\n`)}${" ".repeat(depth)}|\n${" ".repeat(depth)}b\n`,
  ],
  ["explicit keys", (depth) => `${"? ".repeat(depth)}b`],
  ["lists", (depth) => `${"- ".repeat(depth)}'b' # c\n`],
  ["lists of mappings", (depth) => `${levels(depth / 2, (indent) => `${indent}${indent}- a:\n`)}${" ".repeat(depth)}b\n`],
  ["brackets", (depth) => `a: ${"[".repeat(depth - 1)}b${"]".repeat(depth - 1)}\n`],
  ["empty brackets", (depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`],
  ["braces", (depth) => `${"{a: ".repeat(depth)}"b"${"}".repeat(depth)}`],
  ["pairs in brackets", (depth) => `${"[a: ".repeat(depth)}b${"]".repeat(depth)}`],
])("%s are given up where they are too deep, and nowhere else", (_shape, text) => {
  for (let depth = limits.depth - 10; depth <= limits.depth + 10; depth += 1) {
    const all = [...new Parser().parse(text(depth))];
    const tokens = tokensOf(text(depth));
    const isTooDeep = scanTokens(all).depth > limits.depth;
    expect(tokens === undefined || scanTokens(tokens).depth > limits.depth).toBe(isTooDeep);
    if (!isTooDeep) expect(tokens).toEqual(all);
  }
});
