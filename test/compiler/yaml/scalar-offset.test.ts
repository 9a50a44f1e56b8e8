/** From a character of a scalar to its place in the source. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { parseYaml } from "../../../compiler/yaml/parse.ts";
import { scalarOffsets } from "../../../compiler/yaml/scalar-offset.ts";

function offsetsOf(text: string): { readonly text: string; readonly at: (offset: number) => number } {
  const value = parseYaml({ path: "a.yaml", text }, () => {})[0]?.entries[0]?.value;
  if (value?.kind !== "scalar") throw new Error(`not a scalar: ${text}`);
  return { text: value.text, at: scalarOffsets(value) };
}

describe("the place of `name` is found", () => {
  // oxfmt-ignore
  test.each([
    ["in a plain scalar",               "a: R.attr.name == 1"],
    ["in a plain scalar of two lines",  "a: R.attr\n  .name == 1"],
    ["in single quotes",                "a: 'x == ''y'' && name'"],
    ["in double quotes",                "a: \"x == \\\"y\\\" && \\x41 \\U0001F600 \\u00e9 name\""],
    ["after a joined line",             "a: \"x && \\\n     name\""],
    ["in a literal block",              "a: |\n    x &&\n      name"],
    ["in a stripped block",             "a: |-  # why\n    x &&\n    name"],
    ["in a folded block",               "a: >-\n    x &&\n    y &&\n\n    name\n"],
    ["in a block with its indent told", "a: |2\n    x &&\n  name\n"],
    ["where lines end as on Windows",   "a: |\r\n  x &&\r\n  name\r\n"],
  ])("%s", (_, source) => {
    const { text, at } = offsetsOf(source);
    expect(at(text.indexOf("name"))).toBe(source.indexOf("name"));
    expect(at(text.indexOf("name") + 3)).toBe(source.indexOf("name") + 3);
  });
});

test("every character that stands in the source as itself is found, whatever the style", () => {
  const words = fc.array(fc.constantFrom("R.attr.x", "==", '"a b"', "'it'", "&&", "\n", "  ", "é", "\u{1F600}", "\\d", "#", ": ", "name"), {
    minLength: 1,
    maxLength: 12,
  });
  const style = fc.constantFrom("PLAIN", "QUOTE_SINGLE", "QUOTE_DOUBLE", "BLOCK_LITERAL", "BLOCK_FOLDED");
  fc.assert(
    fc.property(words, style, (parts, defaultStringType) => {
      const source = stringify({ a: parts.join(" ") }, { defaultStringType, defaultKeyType: "PLAIN", lineWidth: 20 });
      // Where it breaks a line within a character, what it prints cannot be in a file.
      fc.pre(source.isWellFormed());
      const { text, at } = offsetsOf(source);
      for (const { 0: character, index } of text.matchAll(/[^\s"'\\]/gu)) {
        expect(source.slice(at(index), at(index) + character.length), `${JSON.stringify(source)} at ${index}`).toBe(character);
      }
    }),
  );
});
