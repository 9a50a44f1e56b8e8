/** Checking: the type of an expression, its resolved names, and what is said when there is none. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { check } from "../../../compiler/cel/check.ts";
import { childrenOf } from "../../../compiler/cel/children.ts";
import type { CheckResult } from "../../../compiler/cel/check.ts";
import { policyEnvironment, standardEnvironment } from "../../../compiler/cel/environment.ts";
import type { Environment } from "../../../compiler/cel/environment.ts";
import { parse } from "../../../compiler/cel/parse.ts";
import { printExpression } from "../../../compiler/cel/print.ts";
import type { Expression } from "../../../runtime/cel/ast.ts";
import { invariant } from "../../../runtime/cel/error.ts";
import { int, listOf, optionalOf, printType, string } from "../../../runtime/cel/type.ts";
import type { Type } from "../../../runtime/cel/type.ts";
import { expression, shapeOf } from "./expressions.ts";

function checked(text: string, environment: Environment = policyEnvironment): CheckResult {
  const { tree } = parse(text);
  invariant(tree !== undefined, `${text} parses`);
  return check(tree, environment);
}

test.each([
  // expression                                        type
  ["1 < 1.0", "bool"],
  ["1u >= -1", "bool"],
  ["dyn(1) == 1.0", "bool"],
  ["true ? 1 : dyn('a')", "dyn"],
  ["[1.0, 2, 3u]", "list(dyn)"],
  ["[1, null]", "list(dyn)"],
  ["[]", "list(dyn)"],
  ["[[], [1]]", "list(list(int))"],
  ["{'a': 1, 2: 'b'}", "map(dyn, dyn)"],
  ["R.attr.n + 1", "int"],
  ["R.attr.n + R.attr.m", "dyn"],
  ["R.attr.a < R.attr.b", "bool"],
  ["R.attr.list[0].name", "dyn"],
  ["R.attr.x && P.attr.y || !R.attr.z", "bool"],
  ["'a' in P.roles", "bool"],
  ["P.roles.all(r, r.startsWith('x'))", "bool"],
  ["P.roles.map(r, size(r))", "list(int)"],
  ["P.roles.map(r, r != '', [r])", "list(list(string))"],
  ["P.attr.filter(k, k > 'a')", "list(string)"],
  ["R.attr.l.filter(x, x.ok)", "list(dyn)"],
  ["[1, 2].transformList(i, v, {i: string(v)})", "list(map(int, string))"],
  ["{'a': 1}.transformMap(k, v, k)", "map(string, string)"],
  ["{'a': 1}.transformMapEntry(k, v, {v: k})", "map(int, string)"],
  ["R.attr.m.transformMapEntry(k, v, v)", "map(dyn, dyn)"],
  ["['b', 'a'].sortBy(x, size(x))", "list(string)"],
  ["cel.bind(x, [], x + [1])", "list(int)"],
  ["cel.bind(x, 1, cel.bind(x, 'a', x))", "string"],
  ["[1].exists(R, R == 1)", "bool"],
  ["timestamp('2020-01-01T00:00:00Z') - duration('1h')", "timestamp"],
  ["type(1) == type('a')", "bool"],
  ["type(type(1))", "type(type(int))"],
  ["timestamp(R.attr.t) == null", "bool"],
])("%s is %s", (text, type) => {
  const result = checked(text);
  expect(result.issues).toEqual([]);
  expect(printType(result.type)).toBe(type);
});

describe("an issue says what does not fit, where, and what to do", () => {
  const rows: readonly (readonly [text: string, at: string, message: string, hint?: string])[] = [
    ["1 == 1.0", "1 == 1.0", "`==` cannot compare int with double", "convert one: `double(…)`; a double is written `1.0`"],
    ["R.kind == 1", "R.kind == 1", "`==` cannot compare string with int", "convert one: `string(…)`"],
    ["1 == null", "1 == null", "`==` cannot compare int with null", "it is never null"],
    [
      "{'a': 1} == {'a': 1.0}",
      "{'a': 1} == {'a': 1.0}",
      "`==` cannot compare map(string, int) with map(string, double)",
      "wrap one side to compare anyway: `dyn(…)`",
    ],
    ["now() > '2020'", "now() > '2020'", "`>` cannot order timestamp and string", "convert the string: `timestamp(…)`"],
    ["[1] < [2]", "[1] < [2]", "list(int) has no order, so no `<`"],
    ["1 + 1.0", "1 + 1.0", "`+` cannot combine int and double", "convert one: `double(…)`; a double is written `1.0`"],
    ["'a' * 'b'", "'a' * 'b'", "`*` does not work on string"],
    ["1.5 % 2.0", "1.5 % 2.0", "`%` does not work on double"],
    ["!P.id", "!P.id", "`!` negates a condition, not string", "compare it with something first"],
    ["!'admin' in P.roles", "!'admin'", "`!` negates a condition, not string", "write `!('admin' in …)`"],
    ["!1 in P.attr.n", "!1", "`!` negates a condition, not int", "write `!(1 in …)`"],
    ["-5u", "-5u", "`-` negates int and double, not uint", "convert it: `-int(…)`"],
    ["true ? 1 : 'a'", "true ? 1 : 'a'", "the two values after `?` must have one type, not int and string", "wrap one of them: `dyn(…)`"],
    ["P.id ? 1 : 2", "P.id ? 1 : 2", "the condition before `?` must be bool, not string"],
    ["true && P.id", "P.id", "a side of `&&` must be bool, not string", "compare it with something"],
    ["1 in [1.0]", "1 in [1.0]", "a list(double) cannot hold int", "convert one: `double(…)`; a double is written `1.0`"],
    ["1 in {'a': 1}", "1 in {'a': 1}", "a map(string, int) has no int keys", "convert one: `string(…)`"],
    ["'a' in P.id", "'a' in P.id", "`in` looks into a list or a map, not into string", "`text.contains(part)` looks into a string"],
    ["P.roles['a']", "P.roles['a']", "a list is indexed by int, not by string", "`item in list` looks for an element"],
    ["P.id[0]", "P.id[0]", "string has no elements to index", "`text.charAt(0)` takes one character"],
    [
      "P.roles.admin",
      "P.roles.admin",
      "list(string) has no fields, so no `admin`",
      "an element is written `list[0]`; `list.exists(item, …)` looks at each",
    ],
    ["R.atr.x", "R.atr", "undefined field `atr`", "did you mean `attr`?"],
    ["P.attributes.x", "P.attributes", "undefined field `attributes`", "did you mean `attr`?"],
    [
      "R.owner == P.id",
      "R.owner",
      "undefined field `owner`",
      "write `attr.owner` for an attribute; the fields are `kind`, `id`, `attr`, `policyVersion`, `scope`",
    ],
    [
      "P.roles in ['a']",
      "P.roles in ['a']",
      "a list(string) cannot hold list(string)",
      "`in` looks for one element: turn the sides round, or write `hasIntersection(a, b)`",
    ],
    ...["request.action", "request.actions", "action"].map(
      (text) =>
        [
          `${text} == 'view'`,
          text,
          text === "action" ? "`action` is not declared" : `undefined field \`${text.slice(8)}\``,
          "a condition does not know the action: name it in `actions`, in a rule of its own",
        ] as const,
    ),
    ["runtime.roles", "runtime.roles", "undefined field `roles`", "the fields are `effectiveDerivedRoles`"],
    ["admin", "admin", "`admin` is not declared", 'a string is written in quotes: "admin"'],
    ["requst.principal", "requst", "`requst` is not declared", "did you mean `request`?"],
    ["r.id", "r", "`r` is not declared", "did you mean `R`?"],
    ["True", "True", "`True` is not declared", "write `true`"],
    ["resource.attr", "resource", "`resource` is not declared", "write `R` or `request.resource`"],
    ["user.id == R.attr.owner", "user", "`user` is not declared", "write `P` or `request.principal`"],
    ["jwt.sub == P.id", "jwt", "`jwt` is not declared", "write `request.auxData.jwt`"],
    ["'admin' in roles", "roles", "`roles` is not declared", "write `P.roles`"],
    ["P.roles.exists(role, rle == 'x')", "rle", "`rle` is not declared", "did you mean `role`?"],
    ["R.kind.startWith('a')", "R.kind.startWith('a')", "there is no function `startWith`", "did you mean `startsWith`?"],
    ["strings.startsWith('a')", "strings", "`strings` is not declared", 'a string is written in quotes: "strings"'],
    ["startsWith(R.kind, 'a')", "startsWith(R.kind, 'a')", "`startsWith` is a method", "write `string.startsWith(string)`"],
    [
      "R.kind.startsWith(1)",
      "R.kind.startsWith(1)",
      "`startsWith` does not take `string.startsWith(int)`",
      "write `string.startsWith(string)`",
    ],
    ["P.roles.exists(r)", "P.roles.exists(r)", "`exists` is not called so", "write `list.exists(item, condition)`"],
    ["P.id.all(c, true)", "P.id", "`all` goes through a list or a map, not string"],
    ["P.roles.all(r, r)", "r", "the condition of `all` must be bool, not string", "compare it with something"],
    ["P.roles.map(r, r, 1)", "r", "the filter of `map` must be bool, not string", "compare it with something"],
    ["[1].transformMapEntry(i, v, v)", "v", "`transformMapEntry` needs a map with the new entry, not int", "write `{key: value}`"],
    ["[[1]].sortBy(x, x)", "x", "`sortBy` cannot sort by list(int)", "a key is a number, string, bytes, bool, timestamp or duration"],
    ["P.attr.sortBy(x, x)", "P.attr", "`sortBy` sorts a list, not map(string, dyn)"],
    ["P.id.optMap(x, x)", "P.id", "`optMap` needs an optional here, not string", "write `optional.of(…)`, or select with `a.?b`"],
    ["[?1]", "1", "an element marked `?` must be an optional, not int", "remove the `?`, or write `optional.of(…)`"],
    ["duration('1 hour')", "'1 hour'", "not a valid duration", 'write it as in `duration("1h30m")`; the units are h, m, s, ms, us and ns'],
    [
      "duration('320000000000s')",
      "'320000000000s'",
      "not a valid duration",
      'write it as in `duration("1h30m")`; the units are h, m, s, ms, us and ns',
    ],
    ["timestamp('2024-01-01')", "'2024-01-01'", "not a valid timestamp", 'write it as in `timestamp("2024-12-31T23:59:59Z")`'],
    [
      "timestamp(253402300800)",
      "253402300800",
      "not a valid timestamp: it is out of range",
      'write it as in `timestamp("2024-12-31T23:59:59Z")`',
    ],
    ["R.kind.matches('(')", "'('", "not a valid pattern: error parsing regexp: missing closing ): `(`", "patterns are those of RE2"],
    ["matches(R.kind, '[')", "'['", "not a valid pattern: error parsing regexp: missing closing ]: `[`", "patterns are those of RE2"],
    ["'%d'.format(['a'])", "'a'", "`%d` cannot print string", "convert it first, as in `string(…)`"],
    ["'%s'.format([[R]])", "R", "`%s` cannot print resource", "convert it first, as in `string(…)`"],
    ["'%s %s'.format([1])", "[1]", "the format has 2 places to fill, and the list 1 element"],
    ["'100%'.format([])", "'100%'", "not a valid format: unrecognized formatting clause at 3", "write `%%` for a percent sign"],
    ["P.id.length", "P.id.length", "string has no fields, so no `length`", "write `size(a)` or `a.size()`"],
    ["P.id.length()", "P.id.length()", "there is no function `length`", "write `size(a)` or `a.size()`"],
    ["max(1, 2)", "max(1, 2)", "there is no function `max`", "write `math.greatest(a, b)`"],
    ["P.id.match('a')", "P.id.match('a')", "there is no function `match`", "write `text.matches(pattern)`"],
    ["'a' in derivedRoles", "derivedRoles", "`derivedRoles` is not declared", "write `runtime.effectiveDerivedRoles`"],
    ["1 < R.attr.n < 5", "1 < R.attr.n < 5", "`<` cannot order bool and int", "two comparisons are joined with `&&`: `1 < a && a < 5`"],
    [
      "!R.attr.n == 1",
      "!R.attr.n == 1",
      "`==` cannot compare bool with int",
      "`!` and comparisons on the left are taken first: write `!(a == b)`",
    ],
    [
      "!(P.id in ['a']) == 1",
      "!(P.id in ['a']) == 1",
      "`==` cannot compare bool with int",
      "`!` and comparisons on the left are taken first: write `!(a == b)`",
    ],
    [
      "has(R.attr.n) == 'true'",
      "has(R.attr.n) == 'true'",
      "`==` cannot compare bool with string",
      "a bool is compared with `true` or `false`, without quotes",
    ],
    ["1 != true", "1 != true", "`!=` cannot compare int with bool", "a bool is compared with `true` or `false`, without quotes"],
    ["'a' + 1 == 'a1'", "'a' + 1", "`+` cannot combine string and int", "convert one: `string(…)`"],
    ["P.id * 3 == 9", "P.id * 3", "`*` cannot combine string and int", "convert the string: `int(…)`"],
    ["1.5 - P.id > 1.0", "1.5 - P.id", "`-` cannot combine double and string", "convert the string: `double(…)`"],
    ["R.attr.a-b == 1", "b", "`b` is not declared", 'a name with a hyphen is written in brackets: `R.attr["a-b"]`'],
    ["R.attr.is-admin", "admin", "`admin` is not declared", 'a name with a hyphen is written in brackets: `R.attr["is-admin"]`'],
    ["P.attr.x.a-b.c == 1", "b", "`b` is not declared", 'a name with a hyphen is written in brackets: `P.attr.x["a-b"]`'],
    ["R.attr.a - b == 1", "b", "`b` is not declared", 'a string is written in quotes: "b"'],
    ["R.attr.a -b == 1", "b", "`b` is not declared", 'a string is written in quotes: "b"'],
    ["1-b == 1", "b", "`b` is not declared", 'a string is written in quotes: "b"'],
    ["P.id.trim", "P.id.trim", "string has no fields, so no `trim`", "it is a function: `.trim(…)`"],
    ["quote('a')", "quote('a')", "there is no function `quote`", "write `strings.quote(…)`"],
    ["size(P.id, 1)", "size(P.id, 1)", "`size` does not take `size(string, int)`", "write `size(string)`"],
    ["hierarchy('a').size(1)", "hierarchy('a').size(1)", "`size` does not take `hierarchy.size(int)`", "write `hierarchy.size()`"],
    [
      "P.roles.contains('a')",
      "P.roles.contains('a')",
      "`contains` does not take `list(string).contains(string)`",
      "`item in list` looks for an element",
    ],
    ["P.roles == 'a'", "P.roles == 'a'", "`==` cannot compare list(string) with string", "`item in list` looks for one"],
    [
      "type(P.id) == 'string'",
      "type(P.id) == 'string'",
      "`==` cannot compare type(string) with string",
      "a type is written without quotes: `type(a) == string`",
    ],
    ["[].length", "[].length", "list(dyn) has no fields, so no `length`", "write `size(a)` or `a.size()`"],
    ["Point{x: 1}", "Point{x: 1}", "`Point` is not a message type", 'a map is written without a name: `{"key": value}`'],
  ];
  test.each(rows.map(([text, at, message, hint]) => ({ text, at, message, hint })))("$text", ({ text, at, message, hint }) => {
    const [issue] = checked(text).issues;
    expect(issue).toEqual({ start: issue?.start, end: issue?.end, message, ...(hint !== undefined && { hint }) });
    expect(text.slice(issue?.start, issue?.end)).toBe(at);
  });
});

test("one mistake is reported once, and others beside it too", () => {
  const { issues } = checked("R.atr.x + 1 == 2 && nobody.y.z > 1 || 1 == 'a'");
  expect(issues.map((issue) => issue.message)).toEqual([
    "undefined field `atr`",
    "`nobody` is not declared",
    "`==` cannot compare int with string",
  ]);
});

test("a macro that is called wrongly is one mistake, whatever its arguments", () => {
  for (const text of ["P.roles.exists(r == 'a')", "P.roles.filter(r, r, r)", "cel.bind(x, 1)", "has(a.b, c)"]) {
    expect(checked(text).issues.map((issue) => issue.message)).toEqual([expect.stringMatching(/is not called so$/)]);
  }
});

test("constants that can never be valid are reported beside other mistakes, in the order of the text", () => {
  const { issues } = checked("duration('1 day') > duration('1h') && R.atr.x && P.id.matches('(')");
  expect(issues.map((issue) => issue.message)).toEqual([
    "not a valid duration",
    "undefined field `atr`",
    "not a valid pattern: error parsing regexp: missing closing ): `(`",
  ]);
});

test("qualified names become one name, and namespaced functions one call", () => {
  const environment = standardEnvironment(
    new Map<string, Type>([
      ["a.b", int],
      ["n.a", string],
      ["x", listOf(int)],
    ]),
    {
      container: "n.m",
      functions: new Map([["n.f", [{ id: "n_f", receiver: false, parameters: [int], result: int }]]]),
    },
  );
  const resolved = (text: string): unknown => shapeOf(checked(text, environment).tree);
  const call = (name: string, ...args: readonly unknown[]): unknown => ({ kind: "call", function: name, args });
  const named = (name: string): unknown => ({ kind: "identifier", name });
  expect(resolved("a.b")).toEqual(named("a.b"));
  expect(resolved("a")).toEqual(named("n.a"));
  expect(resolved("f(a.b)")).toEqual(call("n.f", named("a.b")));
  expect(resolved("n.f(a.b)")).toEqual(call("n.f", named("a.b")));
  expect(resolved(".n.f(1)")).toEqual(call("n.f", { kind: "literal", value: "1n" }));
  expect(checked(".f(1)", environment).issues[0]?.message).toBe("there is no function `.f`");
  // A variable of a macro hides what is declared under its name, dotted or not.
  expect(checked("x.exists(a, a > 1)", environment).issues).toEqual([]);
  expect(checked("[{'b': 'text'}].exists(a, a.b == 'text')", environment).issues).toEqual([]);
});

test.each<[text: string, overloads: readonly string[]]>([
  // expression                                           what its calls mean alone
  ["string(R.attr.n)", []],
  ["string(1) + string(R.attr.l[0])", []],
  ["R.attr.l.distinct()", []],
  ["string(R.attr.l.distinct()[0])", ["string_to_string"]],
  ["string(dyn(R.attr.l.distinct()[0]))", []],
  ["int(R.attr.l.distinct()[0])", ["int64_to_int64"]],
  ["R.attr.l.distinct()[0].getHours()", ["timestamp_to_hours"]],
  ["R.attr.l.distinct()[0].startsWith('a')", []], // it has no other
  ["R.attr.l.distinct()[0].size() == 1", []], // one meaning for all
  ["R.attr.l.distinct().sort() == []", []],
  ["R.attr.l.distinct()[0] + R.attr.l.distinct()[1] == b''", []],
  ["R.attr.l.distinct().exists(x, x == 1 && string(x) == 'a')", ["int64_to_string"]],
  ["R.attr.l.distinct().exists(x, x > 1.5 && string(x) == 'a')", ["int64_to_string"]], // as cel-go orders them
  ["R.attr.l.distinct().exists(x, x == R.attr.n && string(x) == 'a')", []], // dyn is no guess
  ["[].map(x, string(x))", ["string_to_string"]],
  ["[[], ['a']].map(x, string(x[0]))", ["string_to_string"]],
  ["R.attr.x in []", []],
  ["R.attr.l + [] == [1] && string(1) == '1'", ["int64_to_string"]], // nobody asks where the guess was
  ["P.roles.sortBy(r, string(r)).map(r, string(r))", []],
])("%s means %j alone", (text, overloads) => {
  const alone = (tree: Expression): readonly string[] => [
    ...(tree.kind === "call" && tree.overload !== undefined ? [tree.overload] : []),
    ...childrenOf(tree).flatMap(alone),
  ];
  const { tree, issues } = checked(text);
  expect(issues).toEqual([]);
  expect(alone(tree)).toEqual(overloads);
});

test("what is selected from an optional is optional", () => {
  const environment = standardEnvironment(
    new Map([
      ["o", optionalOf(listOf(int))],
      ["m", optionalOf({ kind: "map", key: string, value: int })],
    ]),
  );
  const type = (text: string): string => printType(checked(text, environment).type);
  expect([
    type("m.a"),
    type("m.?a"),
    type("{'a': 1}.?a"),
    type("has(m.a)"),
    type("[?m.a]"),
    type("{?'k': m.a}"),
    type("o.optMap(x, x[0])"),
    type("o.optFlatMap(x, m)"),
  ]).toEqual([
    "optional_type(int)",
    "optional_type(int)",
    "optional_type(int)",
    "bool",
    "list(int)",
    "map(string, int)",
    "optional_type(int)",
    "optional_type(map(string, int))",
  ]);
});

test("every node has a type, and checking what was checked changes nothing", () => {
  fc.assert(
    fc.property(expression, (random) => {
      const { tree } = parse(printExpression(random));
      invariant(tree !== undefined, "what was printed parses");
      const once = check(tree, policyEnvironment);
      expect(once.issues.length === 0 || once.issues.every(({ start, end }) => tree.start <= start && end <= tree.end)).toBe(true);
      if (once.issues.length > 0) return;
      const twice = check(once.tree, policyEnvironment);
      expect(twice.issues).toEqual([]);
      expect(shapeOf(twice.tree)).toEqual(shapeOf(once.tree));
      expect(printType(twice.type)).toBe(printType(once.type));
    }),
    { numRuns: 1000 },
  );
});

test("large and adversarial expressions are checked in bounded time", () => {
  const doubling = Array.from({ length: 80 }, (_, i) => `cel.bind(x${i + 1}, {x${i}: x${i}}, `);
  const texts = [
    `[${"[],".repeat(20_000)}]`,
    Array(6_000).fill("R.attr.a == 1").join("&&"),
    `cel.bind(x0, [], ${doubling.join("")}x80${")".repeat(81)}`,
    `${"(".repeat(100)}1${"+1)".repeat(100)}`,
  ];
  for (const text of texts) expect(parse(text).tree && checked(text).issues).toEqual([]);
});
