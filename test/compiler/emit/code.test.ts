/** Whatever data is put into a program stays data: strings, words of comments, names. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Code,
  block,
  comment,
  constants,
  digits,
  isCode,
  js,
  lines,
  list,
  newName,
  quoted,
  terms,
} from "../../../compiler/emit/code.ts";
import { type Constant, commentWords, quote } from "../../../compiler/emit/escape.ts";
import { printForMachine, printForPeople } from "../../../compiler/emit/print-code.ts";
import { Uint } from "../../../runtime/cel/value.ts";
import { emitted } from "../../../runtime/emitted/index.ts";
import { evaluateInThisRealm } from "../../../runtime/load.ts";
import { expectSameTokens } from "./tokens.ts";

/** What a compartment refuses, anywhere in a text (the checks of ses, spelled again). */
const refused: readonly RegExp[] = [/(^|[^.]|\.\.\.)\bimport(\s*(?:\(|\/[/*]))/, /(^|[^.])\beval(\s*\()/, /<!--|-->/];

const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc
    .array(
      fc.constantFrom(
        "import",
        "eval",
        "(",
        ")",
        "/",
        "*",
        "//",
        "/*",
        "*/",
        "<!--",
        "-->",
        "<",
        "!",
        "--",
        ">",
        '"',
        "'",
        "`",
        "\\",
        "${",
        "}",
        "\n",
        "\r",
        "\u2028",
        "\u2029",
        "\0",
        "\uFEFF",
        "\u202E",
        "\uD800",
        "\uDC00",
        " ",
        "__proto__",
        "constructor",
        "x",
        "import(",
        "eval (",
        "import\n(",
        ";",
        "\\u0022",
        "\t",
        "😀",
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join("")),
);

const expectAdmitted = (text: string): void => {
  for (const pattern of refused) expect(text).not.toMatch(pattern);
};

describe("data never becomes program", () => {
  it("prints any string as a literal of that string, in plain characters", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const literal = quote(text);
        expect(evaluateInThisRealm(literal)).toBe(text);
        expect(literal).toMatch(/^[\x20-\x7e]*$/);
        expectAdmitted(literal);
      }),
      { numRuns: 10_000 },
    );
  });

  it("keeps any words within their comment", () => {
    fc.assert(
      fc.property(hostile, hostile, (words, more) => {
        const text = `// ${commentWords(words)}\n// ${commentWords(more)}\n("after")`;
        expect(evaluateInThisRealm(text)).toBe("after");
        expect(text.split("\n")).toHaveLength(3);
        expectAdmitted(text);
      }),
      { numRuns: 10_000 },
    );
  });

  it("keeps any string in any place of a program as it is", () => {
    const key = hostile.filter((text) => text !== "__proto__");
    fc.assert(
      fc.property(hostile, hostile, hostile, key, hostile, (literal, name, words, field, other) => {
        const local = newName(name);
        const second = newName(name);
        const program = lines(
          comment(() => words),
          block(
            js`(rt, k) => {`,
            [
              constants,
              comment(() => name),
              js`const ${local} = ${literal};`,
              js`const ${second} = { ${quoted(field)}: ${[literal, { [field]: other, constructor: 1 }]} };`,
              js`return [${list([js`${local}`, js`${second}[${quoted(field)}]`, js`${other}`])}];`,
            ],
            js`}`,
          ),
        );
        const expected = [literal, [literal, { [field]: other, constructor: 1 }], other];
        const people = printForPeople(program);
        const machine = printForMachine(program);
        expectAdmitted(people);
        expectAdmitted(machine.text);
        expect(JSON.stringify(run(people, []))).toEqual(JSON.stringify(expected));
        expect(JSON.stringify(run(machine.text, machine.constants))).toEqual(JSON.stringify(expected));
        expect(machine.text).not.toContain("//");
      }),
      { numRuns: 5_000 },
    );
  });

  it.each<[string, unknown]>([
    ["an object that looks like a tree", { kind: "text", text: "process.exit()" }],
    ["an object that looks like a name", { hint: "process" }],
    ["a list of such", [{ kind: "text", text: "boom()" }]],
  ])("quotes %s", (_, data) => {
    expect(isCode(data)).toBe(false);
    const machine = printForMachine(js`${data as Constant}`);
    expect(machine.text).toBe("k0");
    expect(evaluateInThisRealm(printForPeople(js`${data as Constant}`))).toEqual(data);
  });

  it("makes `__proto__` a key like any other", () => {
    const data = JSON.parse(`{"__proto__": {"polluted": true}, "a": 1}`);
    const printed = evaluateInThisRealm(printForPeople(js`(${data})`)) as object;
    expect(Object.hasOwn(printed, "__proto__")).toBe(true);
    expect("polluted" in printed).toBe(false);
  });

  it.each<[Constant, string]>([
    [-0, "-0"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "Infinity"],
    [5n, "5n"],
    [-5n, "-5n"],
    [null, "null"],
    [true, "true"],
    [new Uint(7n), "rt.uint(7n)"],
    [Uint8Array.of(0, 255), "rt.bytes([0, 255])"],
    [[], "[]"],
    [{}, "{}"],
    ["a/b", '"a/b"'],
    ["a//b", '"a\\x2f/b"'],
  ])("prints %s for people as %s", (value, text) => {
    expect(printForPeople(js`${value}`)).toBe(`${text}\n`);
  });

  it("refuses a template that breaks a line, for a comment could end there", () => {
    expect(
      () => js`a
b`,
    ).toThrow(/line ends/);
    expect(() => digits(-1)).toThrow();
  });
});

describe("names", () => {
  it.each([
    ["apple-owner", "appleOwner"],
    ["rule-001", "rule001"],
    ["1st", "_1st"],
    ["", "it"],
    ["class", "class_2"],
    ["eval", "eval_2"],
    ["import", "import_2"],
    ["rt", "rt_2"],
    ["q", "q_2"],
    ["constructor", "constructor_2"],
    ["__proto__", "__proto___2"],
    ["straße", "straE"],
    ["a.b@c", "aBC"],
  ])("calls %j %s", (hint, identifier) => {
    expect(printForPeople(js`${newName(hint)}`)).toBe(`${identifier}\n`);
  });

  it("never gives two names one identifier", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "a-2", "a_2", "A", "a b", "aB", "", "it", "x"), { maxLength: 12 }), (hints) => {
        const program = list(hints.map((hint) => js`${newName(hint)}`));
        const identifiers = printForPeople(program)
          .trim()
          .split(/[\s,]+/)
          .filter((identifier) => identifier !== "");
        expect(new Set(identifiers).size).toBe(hints.length);
      }),
    );
  });
});

describe("both prints are one tree", () => {
  it("gives the same tokens, once names and constants are put back", () => {
    fc.assert(
      fc.property(programs, (program) => {
        const machine = printForMachine(program);
        expectSameTokens(printForPeople(program), machine.text, machine.constants);
      }),
      { numRuns: 500 },
    );
  });

  it("tells programs of one shape from others by their text alone", () => {
    const make = (role: string, limit: number): Code => js`(q) => q.role === ${role} && rt.get(q.R, ${quoted("amount")}) < ${limit}`;
    expect(printForMachine(make("a", 1)).text).toBe(printForMachine(make("b", 2)).text);
    expect(printForMachine(make("a", 1)).constants).toEqual(["a", 1]);
  });

  it("breaks long chains of terms over lines and leaves short ones alone", () => {
    const term = (at: number): Code => js`condition(${`number ${at} of a rather long chain`})`;
    expect(printForPeople(js`return ${terms("&&", [term(1), term(2)])};`).split("\n")).toHaveLength(2);
    expect(printForPeople(js`return ${terms("&&", [1, 2, 3, 4].map(term))};`)).toMatchInlineSnapshot(`
      "return condition("number 1 of a rather long chain") &&
        condition("number 2 of a rather long chain") &&
        condition("number 3 of a rather long chain") &&
        condition("number 4 of a rather long chain");
      "
    `);
  });
});

const run = (text: string, k: readonly Constant[]): unknown =>
  (evaluateInThisRealm(text) as (rt: object, k: readonly Constant[]) => unknown)(emitted, k);

const leaf: fc.Arbitrary<Code> = fc.oneof(
  hostile.map((text) => js`${text}`),
  fc.integer({ min: 0 }).map((value) => js`${value}`),
  hostile.map(quoted),
  fc.constantFrom("a", "role", "x y", "if").map((hint) => js`${newName(hint)}`),
);
const programs: fc.Arbitrary<Code> = fc.letrec<{ expression: Code; program: Code }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.tuple(tie("expression"), tie("expression")).map(([left, right]) => js`(${left} === ${right})`),
    fc.array(tie("expression"), { minLength: 1, maxLength: 5 }).map((parts) => js`(${terms("&&", parts)})`),
    fc.array(tie("expression"), { maxLength: 3 }).map((parts) => js`f(${list(parts)})`),
  ),
  program: fc
    .array(
      fc.oneof(
        tie("expression").map((code) => js`return ${code};`),
        hostile.map((words) => comment(() => words)),
        tie("expression").map((code) => block(js`if (${code}) {`, [comment(() => "then"), js`x = ${code};`], js`}`)),
      ),
      { maxLength: 6 },
    )
    .map((body) => block(js`(rt, k) => {`, [constants, ...body], js`}`)),
})).program;
