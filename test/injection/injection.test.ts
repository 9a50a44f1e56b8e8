/** Whatever strings a policy holds, they stay strings: what is compiled parses, passes the gate, loads, and means the same. */
import { describe, expect, test } from "vitest";
import { openRandom } from "../agree/random.ts";
import { open } from "../runtime/sandbox/open.ts";
import { fill, slotsAt, whole, entries } from "./holes.ts";
import { judgeModules } from "./module.ts";
import { printTally, run } from "./run.ts";
import { makeText, nearMisses } from "./strings.ts";
import { grow } from "./trial.ts";

// The long run is `npm run fuzz -- injection`; this one is the same on every machine.
const tally = run({ seed: 5, strings: 4000, realm: open() });
const refused = new Map([...tally.refused].map(([name, many]) => [name.split(": ", 1)[0] ?? "", many]));

describe("strings at every position of a policy", () => {
  test(`stay strings: ${printTally(tally)}`, () => {
    expect(tally.strings).toBeGreaterThanOrEqual(4000);
    expect(tally.taken).toBeGreaterThan(tally.strings * 0.9);
    expect(tally.asked).toBeGreaterThan(500);
  });

  test.each([
    "a kind",
    "an action",
    "a role",
    "a principal",
    "a parent role",
    "a derived role",
    "a version",
    "a scope",
    "the name of a rule",
    "a set of derived roles",
    "a set of variables",
    "a set of constants",
    "the name of a constant",
    "the name of a variable",
    "a role of a role policy",
    "an action that a role may do",
    "a resource of a principal",
    "an action of a principal",
    "a literal",
    "a bytes literal",
    "a key of a map",
    "an element of a list",
    "a regular expression",
    "a comment",
    "a field",
    "an attribute of the resource",
    "an attribute of the principal",
    "a claim",
    "a key of an attribute's map",
    "a key of a constant",
    "the value of a constant",
    "the value of a variable",
    "the name of a global",
    "the value of a global",
    "a key of an output",
    "a value of an output",
    "a description",
    "a $schema",
    "the name of an annotation",
    "the value of an annotation",
    "a source file",
    "a store's name of a file",
    "the name of a source attribute",
    "the value of a source attribute",
    "what a store says of a file",
    "the name of a file",
    "a reference to a schema",
    "an action that no schema is asked for",
    "a pattern of actions",
    "a pattern of roles",
    "a text in an expression, not escaped",
  ])("stand as %s, and most are taken", (position) => {
    const many = tally.positions.get(position) ?? 0;
    expect(many).toBeGreaterThan(0);
    if (position !== "a text in an expression, not escaped") expect(refused.get(position) ?? 0).toBeLessThan(many / 2);
  });

  test("stay strings in modules for other programs", async () => {
    expect(await judgeModules(grow(7, 0))).toBeGreaterThan(200);
  });
});

describe("the strings themselves", () => {
  const texts = Array.from({ length: 3000 }, (_, index) => makeText(openRandom(index)));
  test.each<[sentence: string, holds: RegExp]>([
    ["quotes", /["'`]/],
    ["backslashes", /\\/],
    ["line separators", /[\u2028\u2029]/],
    ["ends of comments", /\*\/|\/\/|-->/],
    ["templates", /\$\{/],
    ["programs", /import\(|eval\(/],
    ["tags", /<!--|<\/script>/],
    ["halves of pairs", /\p{Surrogate}/u],
    ["NULs", /\0/],
    ["prototypes", /__proto__|constructor|prototype/],
    ["characters that turn the direction", /\p{Bidi_Control}/u],
    ["characters that combine", /\p{M}/u],
    ["astral characters", /[\u{10000}-\u{10ffff}]/u],
    ["much text", /^[^]{1000,}$/],
  ])("have %s in them", (_sentence, holds) => {
    expect(texts.some((text) => holds.test(text))).toBe(true);
  });

  test("have near misses that are others", () => {
    for (const text of texts) expect(nearMisses(text)).not.toContain(text);
  });
});

describe("a diagnostic finds the string that it is about", () => {
  const slot = (text: string) => ({ position: "p", text, plain: "w" });
  const [name, key, value] = [slot("a.b"), slot("k"), slot("v")];
  const { places } = fill({ kind: undefined, list: [whole(name)], map: entries([whole(key), [whole(value)]]) });
  test.each<[path: string | undefined, found: readonly object[]]>([
    ["$.list[0]", [name]],
    ["$.list", [name]],
    ["$.map.k", [key]],
    ["$.map.k[0]", [key, value]],
    ["$.map", [key, value]],
    [undefined, [name, key, value]],
    ["$.other", []],
  ])("%s", (path, found) => {
    expect(slotsAt(places, path)).toEqual(found);
  });
});
