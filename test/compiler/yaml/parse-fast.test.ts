/** What the fast parser parses, it parses as the full parser does; what it cannot tell, it leaves to the full parser. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseFull } from "../../../compiler/yaml/parse.ts";
import { parseFast } from "../../../compiler/yaml/parse-fast.ts";

function whole(text: string): { readonly documents: unknown; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const documents = parseFull({ path: "a.yaml", text }, ({ message }) => void problems.push(message));
  return { documents, problems };
}

/** Is the text read quickly? If it is, then rightly. */
function isQuick(text: string): boolean {
  const quick = parseFast({ path: "a.yaml", text });
  if (quick !== undefined) expect(whole(text)).toEqual({ documents: [quick], problems: [] });
  return quick !== undefined;
}

describe("is read quickly:", () => {
  // oxfmt-ignore
  test.each([
    ["a mapping",                  "a: b\nc:\n  d: e\n  f:\n    g: 1\nh: true\n"],
    ["no line break at the end",   "a: b"],
    ["a document's start",         "# first\n---\na: b\n"],
    ["comments",                   "# x\na: b # y\n\n  # z\nc: d#e\n"],
    ["lists",                      "a:\n- b\n- c: d\n  e: f\n-   g: h\nx:\n    - 1\n    - \"2\"\n"],
    ["quotes",                     "a: \"b: #\"\n'c d': 'e \"f\"'\n"],
    ["quotes in quotes",           "a: \"b \\\"c\\\" \\\\\" # d\ne: 'f''s'\ng: ['''', \"\\\"\", {h: '''x'''}]\n"],
    ["brackets",                   "a: [b, \"c\", [], {}, {d: e, \"f\": [1, x:y]}] # g\n"],
    ["an expression",              "expr: R.attr.x == \"a\" && (y in [1]) ? 1 : 2\n".replace(" : ", " :")],
    ["lines of text",              "a: |-\n  b: c\n   # d\n\n  e\nf: |\n    g\n"],
    ["brackets over lines",        "a: [\n  b,\n\n  c, d\n]\ne:\n  f: {g: h,\n    i:\n      j,\n    k: [\n     l ] }\nm: n\n"],
    ["brackets below a key",       "a:\n  [\n    b,\n    c,\n  ]\nd:\n  - e:\n      {f: [g]}\n"],
    ["a comma at the end",         "a: [b, c,]\nd: {e: f, }\n"],
    ["brackets without spaces",    "a: [b,c,[d],{e: f,g: h}]\n"],
    ["JSON",                       "{\"a\":{\"b\":[1,true,null,\"c\"],\"d\":\"e\"},\"f\":[]}"],
    ["JSON over lines",            "{\n  \"a\": \"b\",\n  \"c\": [\n    1,\n    { \"d\": \"e\" }\n  ]\n}\n"],
    ["folded lines",               "a: >\n  b\n  c: d\n\n\n  e # f\n\ng: >-\n    h ||\n    i\nj:\n  - >-\n    k\n"],
    ["other letters",              "a: x été 日本\n"],
    ["the longest key",            `a:\n  ${"b".repeat(1024)}: c\n`],
  ])("%s", (_, text) => {
    expect(isQuick(text)).toBe(true);
  });
});

describe("is left to the whole parser:", () => {
  // oxfmt-ignore
  test.each([
    ["nothing", ""], ["a list", "- a\n"], ["two documents", "a: b\n---\nc: d\n"], ["an end", "a: b\n...\n"], ["a directive", "%YAML 1.2\n---\na: b\n"],
    ["an anchor", "a: &x b\n"], ["an alias", "a: *x\n"], ["a tag", "a: !!str 5\n"], ["a merge", "a:\n  <<: {b: c}\n"],
    ["an escape", "a: \"b\\n\"\n"], ["a quote in a key's quotes", "'b''c': a\n"], ["quotes without an end", "a: 'b''\n"], ["quotes whose end is escaped", "a: \"b\\\"\n"], ["quotes after quotes", "a: \"b\"\"c\"\n"], ["text after quotes", "a: \"b\" c\n"],
    ["folded lines that are further to the right", "a: >\n  b\n   c\n  d\n"], ["folded lines that end in a space", "a: >\n  b \n  c\n"], ["folded lines that are kept", "a: >+\n  b\n"], ["plain lines", "a: b\n  c\n"], ["kept lines", "a: |+\n  b\n"], ["an empty value", "a:\nb: c\n"],
    ["a key twice", "a: b\na: c\n"], ["a mapping in a value", "a: b: c\n"], ["brackets over lines with a comment", "a: [b, # c\n  d]\n"], ["a line of a comment in brackets", "a: [b,\n  # c\n  d]\n"], ["a line that is left of its brackets", "a:\n  b: [\n c]\n"],
    ["a bracket that ends left of its key", "a:\n  b: [\n    c\n ]\n"], ["an inner bracket that ends right below its key", "a: [[b\n], c]\n"], ["plain text over lines in brackets", "a: [b\n  c]\n"], ["a pair in a list", "a: [b: c]\n"], ["no text between commas", "a: [b,,c]\n"], ["a key without a value", "a: {b, c: d}\n"],
    ["a colon on the next line", "a: {b\n  : c}\n"], ["brackets as a key", "a:\n  [b]: c\n"], ["text behind brackets", "a: [b] c\n"], ["a second mapping behind JSON", "{\"a\": 1}\n{\"b\": 2}\n"], ["the mark of a document in brackets", "{\n--- a: b}\n"], ["a key twice in JSON", "{\"a\":1,\"a\":2}"], ["a tab", "a:\tb\n"],
    ["carriage returns", "a: b\r\nc: d\r\n"], ["a byte order mark", "\uFEFFa: b\n"], ["wrong indentation", "a:\n    b: c\n  d: e\n"], ["an endless line", `a: ${"b".repeat(20_000)}\n`], ["a key that is too long", `a:\n  ${"b".repeat(1025)}: c\n`], ["one in quotes", `a:\n  - "${"b".repeat(1023)}": c\n`],
    ["a list in a list", "a:\n- - b\n"], ["a space before a colon", "a: {b : c}\n"], ["deep brackets", `a: ${"[".repeat(60)}${"]".repeat(60)}\n`],
  ])("%s", (_, text) => {
    expect(isQuick(text)).toBe(false);
  });
});

const texts = readdirSync("golden", { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".yaml"))
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));

test("policies of the golden cases are read as the whole parser reads them, nearly all of them quickly", () => {
  const policies = texts.filter((text) => text.startsWith("apiVersion"));
  expect(policies.filter(isQuick).length).toBeGreaterThan(policies.length * 0.8);
});

test("and so are policies with whatever typed into them", () => {
  const piece = fc.constantFrom(
    ..." |  |\n|\n\n|: |:|- |-|{|}|[|]|[]|{}|\"|'|&a |*a|<<: |#| # c|!!x |---\n|...\n|~|1.5|? |,|, |\\|%|@|`|a|a: b|é|x:y|\n  |\n    |\n- |null|=|^|.|''|\\\"|\\\\|'a''b'|\"a\\\"b\"".split(
      "|",
    ),
    "|",
    "|-",
    "|\n",
    "key: |-\n      a\n\n      b\n",
    "   \n",
    ",\n      ",
    "[\n    ",
    "\n  ]",
    "\n}",
    ",]",
    "[b,c]",
    '{"d":1}',
    ": >\n",
    ": >-\n    e\n\n    f\n",
    "> ",
  );
  const edit = fc.tuple(fc.nat(), piece, fc.nat({ max: 3 }));
  fc.assert(
    fc.property(
      fc.constantFrom(...texts.filter((text) => text.length < 1000)),
      fc.array(edit, { minLength: 1, maxLength: 3 }),
      (text, edits) => {
        isQuick(
          edits.reduce((before, [place, insert, length]) => {
            const at = place % (before.length + 1);
            return before.slice(0, at) + insert + before.slice(at + length);
          }, text),
        );
      },
    ),
    { numRuns: 1000 },
  );
});

test("and so are lists and mappings in brackets, however their lines are broken", () => {
  const gap = fc.constantFrom("", "", " ", "  ", "\n", "\n ", "\n  ", "\n   ", "\n    ", " \n     ", "\n\n   ", " # x\n  ", "\n#\n   ");
  const word = fc.constantFrom("a", "1", "-2", '"b"', "'c'", '"d: e"', "x y", "é", "--- f", "...", "- g", "~", "", "h:", ":i", "<<");
  const { value } = fc.letrec<{ value: string; list: string; map: string }>((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, { weight: 3, arbitrary: word }, tie("list"), tie("map")),
    list: fc
      .tuple(fc.array(fc.tuple(gap, tie("value"), gap), { maxLength: 3 }), fc.constantFrom("", "", ","), gap)
      .map(([items, comma, end]) => `[${items.map((item) => item.join("")).join(",")}${comma}${end}]`),
    map: fc
      .tuple(
        fc.array(fc.tuple(gap, word, fc.constantFrom(": ", ":", ":\n  ", " : "), tie("value"), gap), { maxLength: 3 }),
        fc.constantFrom("", "", ","),
        gap,
      )
      .map(([entries, comma, end]) => `{${entries.map((entry) => entry.join("")).join(",")}${comma}${end}}`),
  }));
  const place = fc.constantFrom(
    "a: V\n",
    "a:\n  V\n",
    "a:\n  b: V\nc: d\n",
    "a:\n- V\n- b\n",
    "a:\n  - b: V\n    c: d\n",
    "V",
    "V\n# e\n",
    "a:\n  - V\n",
    "a:\n\n    V # b\nc: d\n",
    "--- V\n",
    "---\nV",
  );
  let quick = 0;
  fc.assert(
    fc.property(place, value, (around, inner) => {
      if (isQuick(around.replace("V", () => inner))) quick++;
    }),
    { numRuns: 5000 },
  );
  expect(quick).toBeGreaterThan(500);
});

test("and so are lines of text below a key", () => {
  const line = fc.constantFrom("a", "b c", "", "", "  ", " d", "e ", "# f", "- g", "h: i", "é", "---", "> j");
  const header = fc.constantFrom("|", "|-", ">", ">-", "> ", ">+", ">2", ">- # k");
  const place = fc.constantFrom(
    ["a: ", "  ", "b: c\n"],
    ["a: ", "  ", ""],
    ["a:\n  - ", "    ", "  - b\n"],
    ["a:\n  b: ", "      ", "  c: d\n"],
    ["- ", "  ", ""],
    ["a: ", "", "b: c\n"],
  );
  let quick = 0;
  fc.assert(
    fc.property(
      place,
      header,
      fc.array(line, { maxLength: 6 }),
      fc.constantFrom("\n", ""),
      ([before = "", spaces = "", after = ""], head, lines, end) => {
        const text = lines.map((each) => (each.trim() === "" ? each : spaces + each)).join("\n");
        if (isQuick(`${before}${head}\n${text}${end}${after}`)) quick++;
      },
    ),
    { numRuns: 5000 },
  );
  expect(quick).toBeGreaterThan(500);
});
