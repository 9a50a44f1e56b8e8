/** The door for other projects: what goes in by which type, what comes out, and what is refused with the place of the trouble. */
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  CompilationError,
  type Options,
  type Variables,
  check,
  compile,
  duration,
  printValue,
  timestamp,
  uint,
} from "../../src/cel/index.ts";
import { longestStringIn } from "../../src/cel/longest-string.ts";

/** The value as CEL prints it, or the message of the error. */
function told(text: string, variables: Options["variables"], given: Variables, now?: Date): string {
  const program = compile(text, { ...(variables && { variables }) });
  const options = now === undefined ? {} : { now };
  const explanation = program.explain(given, options);
  const value = program.evaluate(given, options);
  // Whatever else a test is about, the three questions agree.
  expect(value === undefined).toBe(explanation.kind === "error");
  expect(program.test(given, options)).toBe(value === true);
  return explanation.kind === "error" ? explanation.message : printValue(explanation.value);
}

describe("values of another realm are what they are", () => {
  test.each<[type: string, given: string, text: string, value: string]>([
    ["timestamp", "new Date(0)", "x.getFullYear('UTC')", "1970"],
    ["bytes", "new Uint8Array([9, 1, 255]).subarray(1)", "x == b'\\x01\\xff'", "true"],
    ["list(int)", "[1, 2]", "x == [1, 2]", "true"],
    ["map(string, int)", "({ a: 1, constructor: 2 })", "x == {'a': 1, 'constructor': 2}", "true"],
    ["map(int, string)", "new Map([[1, 'one']])", "x == {1: 'one'}", "true"],
    [
      "dyn",
      "({ at: new Date(0), of: [1n, new Map([[true, 1]])], raw: new Uint8Array(2) })",
      "x.of[1][true] == 1.0 && x.raw.size() == 2",
      "true",
    ],
    [
      "map(string, json)",
      "({ a: { b: ['c'] } })",
      "x.a == {'b': ['c']} && size(x.a.b) == 1 && 'b' in x.a && x.a.all(name, name == 'b')",
      "true",
    ],
    [
      "json",
      "({ a: { b: ['c'] } })",
      "x.a == {'b': ['c']} && has(x.a.b) && !has(x.a.toString) && x.exists(name, x[name].b[0] == 'c')",
      "true",
    ],
  ])("%s: %s: %s is %s", (type, given, text, value) => {
    expect(told(text, { x: type }, { x: runInNewContext(given) as unknown })).toBe(value);
    expect(told(text, { x: type }, runInNewContext(`({ x: ${given} })`) as Variables)).toBe(value);
  });

  test("the instant", () => {
    const now = runInNewContext("new Date(Date.UTC(2024, 4, 1))") as Date;
    expect(told("now() == timestamp('2024-05-01T00:00:00Z')", {}, {}, now)).toBe("true");
  });

  test.each(["new (class Money {})()", "new Set([1])", "Object.create({ a: 1 })", "Object.create(Object.create(null))", "/x/"])(
    "instances of classes are refused: %s",
    (given) => {
      for (const type of ["dyn", "map(string, dyn)"])
        expect(() => compile("x", { variables: { x: type } }).test({ x: runInNewContext(given) as unknown })).toThrow(/^x must be /);
    },
  );
});

describe("a variable is read as its type says", () => {
  test.each<[type: string, given: unknown, text: string, value: string]>([
    ["int", 5, "x + 1", "6"],
    ["int", 2n ** 63n - 1n, "x", "9223372036854775807"],
    ["uint", 5, "x + 1u", "6u"],
    ["uint", uint(2n ** 64n - 1n), "x", "18446744073709551615u"],
    ["double", 5, "x + 1.0", "6.0"],
    ["string", "é\u{1F600}", "size(x)", "2"],
    ["string", "a\uD800", "x == 'a\\ufffd'", "true"],
    ["bool", true, "!x", "false"],
    ["null", null, "x == null", "true"],
    ["bytes", new Uint8Array([1, 255]), "x == b'\\x01\\xff'", "true"],
    ["timestamp", new Date(0), "x.getFullYear('UTC')", "1970"],
    ["timestamp", timestamp("2024-05-01T10:00:00.000000001Z"), "x > timestamp('2024-05-01T10:00:00Z')", "true"],
    ["google.protobuf.Timestamp", new Date(0), "x == timestamp('1970-01-01T00:00:00Z')", "true"],
    ["duration", duration("1h30m"), "x.getMinutes()", "90"],
    ["list(int)", [1, 2], "x == [1, 2]", "true"],
    ["list(list(string))", [["a"], []], "x[0][0]", '"a"'],
    ["map(string, int)", { a: 1 }, "x.a + 1", "2"],
    ["map(string, int)", { constructor: 1, ["__proto__"]: 2 }, "x.constructor + x['__proto__']", "3"],
    ["map(int, string)", new Map([[1, "one"]]), "x[1]", '"one"'],
    ["dyn", 1, "x == 1.0", "true"],
    ["dyn", 1n, "x == 1", "true"],
    [
      "dyn",
      { at: new Date(0), of: [1n, null] },
      "type(x.at) == google.protobuf.Timestamp && type(x.of[0]) == int && x.of[1] == null",
      "true",
    ],
    ["dyn", { a: undefined, b: 1 }, "has(x.a) ? 'there' : 'not there'", '"not there"'],
    ["json", { roles: ["a"], n: 1 }, "x.roles[0] + string(x.n)", '"a1"'],
    ["list(json)", [{ a: 1 }], "x.exists(e, e.a == 1.0)", "true"],
    ["map(string, json)", { a: { b: "c" } }, "x.a.b", '"c"'],
  ])("%s: %o: %s is %s", (type, given, text, value) => {
    expect(told(text, { x: type }, { x: given })).toBe(value);
  });

  test.each<[type: string, given: unknown, complaint: string]>([
    ["int", 1.5, "x must be int, not the number 1.5"],
    ["int", 2n ** 63n, "x must be int, not the number 9223372036854775808"],
    ["int", 2 ** 60, "x must be int, not the number 1152921504606847000"],
    ["uint", -1, "x must be uint, not the number -1"],
    ["double", 1n, "x must be double, not the number 1"],
    ["string", ["secret"], "x must be string, not a list"],
    ["timestamp", "2024-05-01", "x must be timestamp, not string"],
    ["timestamp", new Date(Number.NaN), "x must be timestamp, not an invalid Date"],
    ["timestamp", new Date(-1e14), "x must be timestamp, not the Date -001199-02-15T14:13:20.000Z"],
    ["list(int)", [1, 2, "secret"], "x[2] must be int, not string"],
    ["list(int)", { length: 1, 0: 1 }, "x must be list(int), not a map"],
    ["list(map(string, list(bool)))", [{ a: [] }, { "b c": [true, 0] }], 'x[1]["b c"][1] must be bool, not the number 0'],
    ["map(int, string)", { 1: "one" }, "x must be a map with keys of type int, not a map"],
    ["dyn", { a: [() => 1] }, 'x["a"][0] must be dyn, not function'],
    ["dyn", [undefined], "x[0] must be dyn, not undefined"],
    ["dyn", { user: new Set() }, 'x["user"] must be dyn, not Set'],
    ["dyn", { n: 2n ** 64n }, 'x["n"] must be dyn, not the number 18446744073709551616'],
    ["list(json)", {}, "x must be list(dyn), not a map"],
  ])("%s: %o is refused: %s", (type, given, complaint) => {
    const program = compile("true", { variables: { x: type } });
    expect(() => program.test({ x: given })).toThrow(new TypeError(complaint));
  });

  test("a circle has an end", () => {
    const circle: { inner?: unknown } = {};
    circle.inner = circle;
    expect(() => compile("true", { variables: { x: "dyn" } }).test({ x: circle })).toThrow(/must be of at most 256 levels, not a map$/);
  });
});

describe("names", () => {
  test.each(["constructor", "toString", "hasOwnProperty", "length", "valueOf", "int", "a.b.c", "_", "__x", "__defineGetter__"])(
    "%s is a variable like any other, and nothing when it is not given",
    (name) => {
      for (const type of ["json", "dyn", "string"]) {
        expect(told(name, { [name]: type }, { [name]: "here" })).toBe('"here"');
        expect(told(name, { [name]: type }, {})).toBe(`no such attribute: ${name}`);
      }
    },
  );

  test.each(["__proto__", "", "a b", "in", "true", "1a", "a.", "a..b", "for", "a-b", "`a`", "é"])("%j cannot be declared", (name) => {
    expect(() => compile("1", { variables: JSON.parse(`{${JSON.stringify(name)}: "int"}`) })).toThrow(
      new TypeError(`${JSON.stringify(name)} cannot be the name of a variable`),
    );
  });

  test.each(
    ["integer", "list", "list()", "map(int)", "1", "", "list(int, int)", "int ", "__proto__", "constructor"].filter(
      (text) => text !== "int ",
    ),
  )("%j is no type", (text) => {
    expect(() => compile("1", { variables: { x: text } })).toThrow(/^variable x: .* is not a type; write one such as/);
  });

  test("a container is looked up first", () => {
    expect(compile("b", { variables: { "a.b": "int", b: "int" }, container: "a" }).evaluate({ "a.b": 1, b: 2 })).toBe(1n);
  });
});

describe("what is given stays as it is, and what comes out is the caller's", () => {
  const freeze = <T>(value: T): T => {
    for (const part of Object.values(value ?? {})) if (typeof part === "object") freeze(part);
    return Object.freeze(value);
  };

  test.each(["x.l.sort()", "x.l + [1.0]", "x.l.map(e, e)", "{'a': x}.a", "x.l.filter(e, true)", "x.l.reverse()", "x.l.slice(0, 1)"])(
    "%s over frozen input",
    (text) => {
      for (const type of ["json", "dyn"]) {
        const given = freeze({ x: { l: [2, 1] } });
        expect(compile(text, { variables: { x: type } }).evaluate(given)).toBeDefined();
        expect(given).toEqual({ x: { l: [2, 1] } });
      }
    },
  );

  test.each(["[1, [2]]", "true ? [1] : [2]", "[1, 2].filter(x, x > 1)", "{'a': [1]}['a']", "[[1]][0]"])(
    "%s can be changed without changing the program",
    (text) => {
      for (const generate of [true, false]) {
        const program = compile(text, { generate });
        const first = program.evaluate();
        const before = printValue(first ?? null);
        if (Array.isArray(first)) {
          const [inner] = first.slice(1);
          if (Array.isArray(inner)) inner.push("changed");
          first.push("changed");
        }
        expect(printValue(program.evaluate() ?? null)).toBe(before);
      }
    },
  );

  test("bytes of the text too", () => {
    const program = compile("b'abc'");
    const first = program.evaluate();
    if (first instanceof Uint8Array) first[0] = 0;
    expect(program.evaluate()).toEqual(new Uint8Array([97, 98, 99]));
  });

  test("a program cannot be changed", () => {
    expect(Object.isFrozen(compile("true"))).toBe(true);
  });

  test("what somebody puts on a prototype is no variable and no attribute", () => {
    const program = compile("admin || user.admin", { variables: { admin: "json", user: "json" } });
    const typed = compile("admin", { variables: { admin: "bool" } });
    Reflect.defineProperty(Object.prototype, "admin", { value: true, configurable: true });
    try {
      expect([program.test({ user: {} }), typed.test({}), compile("admin", { variables: { admin: "json" } }).test({})]).toEqual([
        false,
        false,
        false,
      ]);
    } finally {
      Reflect.deleteProperty(Object.prototype, "admin");
    }
  });
});

test.each([[null], ["x"], [5]])("variables are an object: %o is refused", (given) => {
  const program = compile("x", { variables: { x: "json" } });
  // A caller without types may give anything.
  expect(() => Reflect.apply(program.test, undefined, [given])).toThrow(new TypeError("the variables must be a plain object"));
});

test.each([[new Map([["x", true]])], [[true]], [new Set([true])]])(
  "%o holds no variables, and is refused where they are looked at one by one",
  (given) => {
    const refusal = new TypeError("the variables must be a plain object");
    const fast = compile("x", { variables: { x: "json" } });
    expect(Reflect.apply(fast.test, undefined, [given])).toBe(false);
    expect(() => Reflect.apply(fast.explain, undefined, [given])).toThrow(refusal);
    const careful = compile("x", { variables: { x: "bool" } });
    expect(() => Reflect.apply(careful.test, undefined, [given])).toThrow(refusal);
  },
);

test("the clock is asked once an evaluation, and only where the expression asks", () => {
  const now = new Date("2024-05-01T10:00:00.123Z");
  expect(told("now() == now() && now() == timestamp('2024-05-01T10:00:00.123Z')", {}, {}, now)).toBe("true");
  expect(told("timestamp('2024-05-01T09:00:00.123Z').timeSince()", {}, {}, now)).toBe('duration("3600s")');
  const before = Date.now();
  const reported = compile("int(now()) * 1000").evaluate();
  expect(Number(reported)).toBeGreaterThan(before - 2000);
  expect(() => compile("now() > now()").test({}, { now: new Date("never") })).toThrow(new TypeError("now must be a valid Date"));
  expect(compile("1 + 1").evaluate({}, { now: new Date("never") })).toBe(2n);
});

test("a wrong expression shows every problem with its line, and where it is", () => {
  const wrong = (): unknown => compile("a +\n  b.c > 1 && usr == 1", { variables: { a: "int", user: "int" } });
  expect(wrong).toThrow(CompilationError);
  try {
    wrong();
  } catch (trouble) {
    if (!(trouble instanceof CompilationError)) throw trouble;
    expect(trouble.issues.map(({ line, column }) => [line, column])).toEqual([
      [2, 3],
      [2, 14],
    ]);
    expect(trouble.message).toMatch(/^2:3: [^\n]*`b`[\s\S]*2 \| {3}b\.c > 1[\s\S]*\n\n2:14: [^\n]*`usr`[\s\S]*did you mean `user`\?/);
  }
  expect(check("a + 'b'", { variables: { a: "int" } }).issues).toHaveLength(1);
  expect(check("[a]", { variables: { a: "int" } })).toEqual({ issues: [], type: "list(int)" });
});

// oxfmt-ignore
test.each([
  ["principal.id == 'a'", {},                     'a string is written in quotes: "principal"'],
  ["principal.id == 'a'", { principals: "json" }, "did you mean `principals`?"],
  ["jwt.sub == 'a'",      { request: "json" },    'a string is written in quotes: "jwt"'],
] as const)("%s with the variables %j: nobody is told of what policies have", (text, variables, hint) => {
  expect(check(text, { variables }).issues.map((issue) => issue.hint)).toEqual([hint]);
});

test.each([[undefined], [null], [5], [{}]])("an expression is a string: %o is refused", (text) => {
  // A caller without types may give anything.
  expect(() => Reflect.apply(compile, undefined, [text])).toThrow(new TypeError("an expression is a string"));
});

test.each<[text: string, error: string, expression: string]>([
  ["user.name == 'a' && user.team == 'b'", "no such key", "user.team"],
  ["[1, 2].map(x, 10 / (x - 1)) == []", "division by zero", "10 / (x - 1)"],
  ["user.name + 1", "no such overload", "user.name + 1"],
  ["nobody == 1", "no such attribute", "nobody"],
])("%s fails with %s at %s", (text, error, expression) => {
  const explanation = compile(text, { variables: { user: "json", nobody: "dyn" } }).explain({ user: { name: "a" } });
  expect(explanation).toMatchObject({ kind: "error", error, expression });
  if (explanation.kind === "error") {
    expect(text.slice(explanation.start, explanation.end)).toBe(expression);
    expect(explanation.message.startsWith(error)).toBe(true);
  }
});

describe("what costs too much is an error, not a hang", () => {
  const numbers = Array.from({ length: 3000 }, (_, at) => at);
  test.each<[sentence: string, text: string, given: Variables]>([
    ["a million turns and one", "x.all(a, x.all(b, a + b >= 0.0))", { x: numbers }],
    [
      "long texts compared again and again",
      "x.l.all(a, x.l.all(b, x.s == x.t))",
      { x: { l: numbers.slice(0, 900), s: `${"a".repeat(4_000_000)}b`, t: `${"a".repeat(4_000_000)}b` } },
    ],
    [
      "long beginnings asked for again and again",
      "x.l.all(a, x.s.startsWith(x.t))",
      { x: { l: numbers, s: "a".repeat(1_000_000), t: "a".repeat(1_000_000) } },
    ],
    [
      "long texts that the expression makes, compared again and again",
      "cel.bind(s, x.s.replace('a', x.t), cel.bind(t, x.s.replace('a', x.t), x.l.all(a, x.l.all(b, s == t))))",
      { x: { l: numbers.slice(0, 90), s: "a".repeat(1000), t: "a".repeat(1000) } },
    ],
    [
      "a long text looked for among long texts again and again",
      "x.l.all(a, !(x.s in x.t))",
      { x: { l: numbers, s: `${"a".repeat(20_000)}b`, t: Array.from({ length: 100 }, () => `${"a".repeat(20_000)}c`) } },
    ],
  ])("%s", (_, text, given) => {
    const program = compile(text, { variables: { x: "json" } });
    expect(program.test(given)).toBe(false);
    expect(program.explain(given)).toMatchObject({ kind: "error", error: "too many steps" });
    // The next evaluation has an account of its own.
    expect(compile("[1, 2].exists(x, x == 2)").test()).toBe(true);
  });

  test.each(["x39", "[x39].exists(x, x == [])", "{'a': [x39]}"])("%s, where x39 is a list of two lists of two lists ...", (body) => {
    const doubled = Array.from({ length: 40 }, (_, at) => `cel.bind(x${at}, ${at === 0 ? "[y]" : `[x${at - 1}, x${at - 1}]`}, `);
    const program = compile(`${doubled.join("")}${body}${")".repeat(40)}`, { variables: { y: "json" } });
    expect(program.test({ y: 1 })).toBe(false);
    expect(["value", "error"]).toContain(program.explain({ y: 1 }).kind);
  });

  test("data deeper than the stack", () => {
    const deep = (): unknown => JSON.parse(`${"[".repeat(200_000)}${"]".repeat(200_000)}`);
    const program = compile("x == y", { variables: { x: "json", y: "json" } });
    expect(program.test({ x: deep(), y: deep() })).toBe(false);
    expect(program.explain({ x: deep(), y: deep() })).toMatchObject({ kind: "error" });
  });

  test("constants are made within bounds when compiling", () => {
    const growing = `"${"a".repeat(1000)}"${".replace('a', 'aaaaaaaa')".repeat(5)}`;
    expect(told(`size(${growing}) > 0`, {}, {})).toMatch(/^out of range/);
  });
});

test("a long text is seen behind however many parts", () => {
  expect(longestStringIn([["long"], Array.from({ length: 1_100_000 }, () => 0)])).toBe(4);
});

test.each(["x > 1", "[x, 5].exists(a, a == x && a > 1)", "x.matches('a+b+') || x > 1", "x > 1 && now() == now()"])(
  "%s: `filter` and `map` may be given the questions, with an index and a list behind",
  (text) => {
    const program = compile(text, { variables: { x: "dyn" } });
    const direct = compile(text, { variables: { x: "json" } });
    const given = [{ x: 1 }, { x: 2 }];
    // As JavaScript calls it; types would not let the index through.
    const asCallback =
      <T>(question: (...args: readonly never[]) => T) =>
      (...args: readonly unknown[]): T =>
        Reflect.apply(question, undefined, args);
    for (const { test: holds, evaluate } of [program, direct]) {
      expect(given.filter(asCallback(holds))).toEqual([{ x: 2 }]);
      expect(given.map(asCallback(evaluate))[1]).toBe(true);
    }
  },
);

test("halves of surrogate pairs, which JSON can hold, do no harm", () => {
  const lone: unknown = JSON.parse(String.raw`{"s": "a\ud800b", "l": ["\udc00"]}`);
  for (const text of [
    "size(x.s)",
    "x.s == x.s",
    "x.s.upperAscii()",
    "bytes(x.s)",
    "x.s.charAt(1)",
    "x.s.split('')",
    "x.l.exists(e, x.s.contains(e))",
    "x.s < x.l[0]",
  ]) {
    expect(told(text, { x: "json" }, { x: lone })).toBeDefined();
  }
});

test("many evaluations do not know of each other", () => {
  const program = compile("x.filter(a, a > n).size()", { variables: { x: "list(int)", n: "int" } });
  const inner = compile("[1, 2, 3].all(a, a > 0)");
  const given = {
    get x() {
      expect(inner.test()).toBe(true);
      return [1, 2, 3];
    },
    n: 1,
  };
  expect([1, 2, 3].map(() => program.evaluate(given))).toEqual([2n, 2n, 2n]);
});

describe("over random expressions and variables", () => {
  const atom = fc.constantFrom(
    "a",
    "b",
    "c.n",
    "c.s",
    "c.l",
    "c.nothing",
    "d",
    "1",
    "2.0",
    "'x'",
    "true",
    "null",
    "[1, 2]",
    "now()",
    "constructor",
  );
  const { text } = fc.letrec<{ text: string }>((tie) => ({
    text: fc.oneof(
      { maxDepth: 2 },
      atom,
      fc
        .tuple(tie("text"), fc.constantFrom("==", "!=", "!=", "<", "+", "&&", "||", "in", "/"), tie("text"))
        .map(([left, operator, right]) => `(dyn(${left}) ${operator} dyn(${right}))`),
      tie("text").map((of) => `!dyn(${of})`),
      fc.tuple(tie("text"), tie("text"), tie("text")).map(([when, yes, no]) => `(dyn(${when}) ? dyn(${yes}) : dyn(${no}))`),
      fc
        .tuple(tie("text"), fc.constantFrom("exists", "all", "map", "filter"), tie("text"))
        .map(([of, macro, body]) => `dyn(${of}).${macro}(e, dyn(${body}))`),
    ),
  }));
  const values = fc.record(
    {
      a: fc.oneof(fc.integer(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
      b: fc.boolean(),
      c: fc.record({ n: fc.double(), s: fc.string(), l: fc.array(fc.jsonValue()) }, { requiredKeys: [] }),
      d: fc.oneof(fc.jsonValue(), fc.date({ min: new Date(0), max: new Date(1e12), noInvalidDate: true })),
      constructor: fc.string(),
    },
    { requiredKeys: [] },
  );
  const variables = { a: "int", b: "bool", c: "json", d: "dyn", constructor: "string" };
  const now = new Date(1e12);

  test("test says what evaluate says, explain too, and no way is different", () => {
    let errors = 0;
    let truths = 0;
    fc.assert(
      fc.property(text, values, (expression, given) => {
        if (check(expression, { variables }).issues.length > 0) return;
        const generated = compile(expression, { variables });
        const interpreted = compile(expression, { variables, generate: false });
        const value = generated.evaluate(given, { now });
        expect(generated.test(given, { now })).toBe(value === true);
        expect(interpreted.evaluate(given, { now })).toEqual(value);
        expect(interpreted.test(given, { now })).toBe(value === true);
        const explanation = generated.explain(given, { now });
        expect(explanation.kind === "value" ? explanation.value : undefined).toEqual(value);
        if (explanation.kind === "error") expect(expression.slice(explanation.start, explanation.end)).toBe(explanation.expression);
        if (value === undefined) errors++;
        if (value === true) truths++;
      }),
      { numRuns: 600 },
    );
    // A grammar that stopped making one of these would prove nothing.
    for (const count of [errors, truths]) expect(count).toBeGreaterThan(5);
  });
});
