/** The console, without a terminal: lines in, text out. */
import { describe, expect, test } from "vitest";
import { expenseFiles, expenseRequest, runSession, type SessionSetup } from "./repl-harness.ts";

const expense: SessionSetup = { request: expenseRequest };

describe("a line's value, as a pipe reads it", () => {
  test.each([
    // line                                         out
    ["1 + 1", "2"],
    ["1.0", "1.0"],
    ['"a\\nb"', '"a\\nb"'],
    ['{"a": [1, 2u, b"x"]}', '{"a": [1, 2u, b"x"]}'],
    ["R.attr.amount", "250.0"],
    ['R.attr.amount > 5 && P.id == "maria"', "true"],
    ["request.principal.roles", '["manager"]'],
    ["R", 'resource{kind: "expense", id: "e-1", attr: {"owner": "sam", "team": "design", "amount": 250.0, "tags": ["a", "b"]}}'],
    ["has(R.attr.nothing)", "false"],
    ["type(R.attr.amount)", "double"],
    ["now()", 'timestamp("2026-01-31T12:00:00Z")'],
    ["  // a comment alone says nothing", ""],
    ["", ""],
    ["[1,\n2,\n3]", "[1, 2, 3]"],
    ['"""a\nb"""', '"a\\nb"'],
    ['"(" + r"["', '"(["'],
    ["1\n_ + 1\n_ + 1", "1\n2\n3"],
    [":let x = 12\nx + 1", "13"],
    [":let x = R.attr.amount\nx", "250.0"],
    [":let a.b = 3\na.b + 1", "4"],
    [":let R.attr.amount = 5\nR.attr.amount", "5.0"],
    [':let R.attr["odd key"] = [1]\nR.attr["odd key"]', "[1.0]"],
    [':let R.attr["a=b"] = "c=d"\nR.attr["a=b"]', '"c=d"'],
    [":let R.attr.deep.er = true\nR.attr.deep", '{"er": true}'],
    [':let R = {"kind": "k", "attr": {"n": 1}}\nR', 'resource{kind: "k", attr: {"n": 1.0}}'],
    [':let P = {"id": "ann", "policy_version": "v1"}\nP.policyVersion', '"v1"'],
    [':let request = {"principal": {"id": "bob"}}\nP.id + R.kind', '"bob"'],
    [':let request.auxData.jwt.aud = ["web"]\nrequest.auxData.jwt', '{"aud": ["web"]}'],
    [':let R.attr.at = timestamp("2024-01-01T00:00:00Z")\ntimestamp(R.attr.at).getFullYear()', "2024"],
    [':let R.scope = "."\n:let P.scope = ".acme"\nR.scope\nP.scope', '""\n"acme"'],
    [":let V.isOwner = true\nV.isOwner", "true"],
    [':let V = {"a": 1}\nvariables.a', "1"],
    [":let C.limit = 10\nC.limit", "10.0"],
    [":let G.n = 10\nglobals.n", "10"],
    [':let runtime.effectiveDerivedRoles = ["owner"]\n"owner" in runtime.effectiveDerivedRoles', "true"],
    [':let x = {\n  "a": 1\n}\nx.a', "1"],
    [":let R.attr.__proto__ = 5\nR.attr.__proto__", "5.0"],
    [":let constructor = 5\nconstructor + 1", "6"],
    [":resource 2\nR.id", 'R is expense e-2\n"e-2"'],
    [":now 2020-02-29T00:00:00Z\nnow().getMonth()", 'now() is timestamp("2020-02-29T00:00:00Z")\n1'],
    [":quit\n1", ""],
  ])("%s", async (line, out) => {
    expect(await runSession(line, expense)).toEqual({ out: out === "" ? "" : `${out}\n`, err: "", isGood: true });
  });
});

test("at a terminal a value has its type, and breaks over lines where it is too wide", async () => {
  const { out } = await runSession(':let x = 1\nx\nR.attr.amount\n{"name": "a long text", "other": [1, 2, 3]}', { ...expense, width: 30 });
  expect(out).toBe(`x = 1  : int
= 1  : int
= 250.0  : double (dyn)
= {
  "name": "a long text",
  "other": [1, 2, 3]
}  : map(string, dyn)
`);
});

describe("what is wrong, with its place", () => {
  test.each([
    // lines                             what stands on the other end
    ["1\n1 / 0", "<stdin>:2:1: error: division by zero\n  |\n2 | 1 / 0\n  | ^^^^^\n"],
    ['P.id == "x" && 1 / 0 > 1', ""],
    [
      "[1, 2].map(n, n / (n - 2))",
      "<stdin>:1:15: error: division by zero; at index 1\n  |\n1 | [1, 2].map(n, n / (n - 2))\n  |               ^^^^^^^^^^^\n",
    ],
    ["foo + bar", "<stdin>:1:1: error: `foo` is not declared\n"],
    ["foo + bar", "<stdin>:1:7: error: `bar` is not declared\n"],
    ["(1 +\n\n2", "<stdin>:1:5: error: the expression ends where a value was expected\n"],
    ["[1,\n  nope]", "<stdin>:2:3: error: `nope` is not declared\n  |\n2 |   nope]\n  |   ^^^^\n"],
    ["R.attr.amont", "no such key: amont; did you mean `amount`?"],
    ["R.attr.x", "= hint: its keys are `owner`, `team`, `amount`, `tags`; `has(...)` asks whether there is one"],
    ["R.attr.amount + 1", "= hint: write `1.0` instead of `1`, or convert the attribute with `int(...)`"],
    ["V.nope", "no variable named `nope`"],
    [":nope", "<stdin>:1:1: error: no command `:nope`"],
    [":tpye 1", "= hint: did you mean `:type`?"],
    [":let x", "write `:let NAME = EXPRESSION`"],
    [":let x == 1", "write `:let NAME = EXPRESSION`"],
    [":let x = 1 / 0", "<stdin>:1:10: error: division by zero\n  |\n1 | :let x = 1 / 0\n  |          ^^^^^\n"],
    [":let int = 1", "`int` cannot be a name: it is a type"],
    [":let if = 1", "`if` cannot be a name: the word is reserved"],
    [":let _ = 1", "`_` cannot be a name: it is the last result"],
    [":let 1 = 1", "`1` cannot be given a value"],
    [":let R.atr.x = 1", "unknown field `request.resource.atr`"],
    [":let R.atr.x = 1", "did you mean `attr`?"],
    [":let P.id = 5", "`request.principal.id` must be a string, but is a number"],
    [':let P.roles = "a"', "`request.principal.roles` must be a list of strings, but is a string"],
    [":let R.attr.n = 9007199254740992 + 1", "9007199254740993 has no exact JSON number"],
    [":let R.attr.t = int", "a value of type type has no JSON form"],
    [":let runtime.x = 1", "only `effectiveDerivedRoles` can be set"],
    [":let V.a.b = 1", "`V.a.b` cannot be set alone"],
    [":resource 3", "= hint: there are 1 to 2"],
    [":now tomorrow", "`tomorrow` is not declared"],
    [":use x", "no policy `x`"],
    [":exec", "no policy is in use"],
    [":load nowhere", "`nowhere` does not exist"],
    [":functions nope_at_all", "no function `nope_at_all`"],
  ])("%s", async (lines, says) => {
    const { err, isGood } = await runSession(lines, expense);
    expect(err).toContain(says);
    expect(isGood).toBe(says === "");
  });
});

test("a bad line leaves everything as it was", async () => {
  const { out } = await runSession(":let x = 1\n5\n:let x = foo\n:let x = 1/0\n:let R.attr = 5\n1/0\n_ + x\nR.attr.amount", expense);
  expect(out).toBe("5\n6\n250.0\n");
});

test(":reset goes back to the start, not to nothing", async () => {
  const { out, err } = await runSession(":let x = 1\n:let R.attr.amount = 1\n:resource 2\n:reset\nR.attr.amount\nx", expense);
  expect(out).toContain("250.0\n");
  expect(err).toContain("`x` is not declared");
});

describe("what there is to know of an expression", () => {
  test.each([
    [":type 1 + 1", "int"],
    [
      ":let x = 1\n:type x > 1 || R.attr.b",
      "x > 1 || R.attr.b  bool\n  x > 1            bool\n    x              int\n  R.attr.b         dyn\n    R.attr         map(string, dyn)\n      R            resource",
    ],
    [":ast R.attr.a||!R.attr.b", "R.attr.a || !R.attr.b\n\n_||_(\n"],
    [":js R.attr.amount < 1000", "// R.attr.amount < 1000"],
    [":js R.attr.amount < 1000", "test: (q) =>"],
    [":let x = 1\n:js x == R.attr.n", "(q, x) =>"],
    [
      ':why P.id == "ann" && R.attr.b',
      'P.id == "ann" && R.attr.b  = false\n  P.id == "ann"            = false\n    P.id                   = "maria"\n  R.attr.b                 not evaluated\n',
    ],
    [":why R.attr.x > 1", "R.attr.x > 1  = error\n  R.attr.x    = error: no such key: x\n"],
    [
      ':why R.attr.tags.exists(t, t == "b")',
      'R.attr.tags.exists(t, t == "b")  = true\n  R.attr.tags                    = ["a", "b"]\n  [0] t == "b"                   = false\n    t                            = "a"\n  [1] t == "b"                   = true\n    t                            = "b"',
    ],
    [":functions startsWith", 'string.startsWith(string) -> bool\n  "hello".startsWith("he")  ->  true'],
    [":functions exists", "list.exists(item, condition)  (a macro)"],
    [":functions %", "int % int -> int"],
    [":functions in", "A in list(A) -> bool"],
    [":functions base64", "base64.decode"],
    [":functions", "upperAscii"],
    [":help", ":let NAME = EXPRESSION"],
    [":h", ":functions [NAME]"],
    [":help let", ":let R.attr.amount = 250"],
    [":vars", "R                              = resource{kind: "],
    [":let x = 5\n:vars", "x                              = 5"],
    [":request", '"id": "maria"'],
    [":resource", "*  1  expense  e-1  approve\n   2  expense  e-2  view\n"],
  ])("%s", async (lines, says) => {
    const { out, err } = await runSession(lines, expense);
    expect(err).toBe("");
    expect(out).toContain(says);
  });
});

describe("policies", () => {
  const setting: SessionSetup = { ...expense, files: expenseFiles };
  const use = ":load policies\n:use resource.expense.vdefault\n";
  test.each([
    [":load policies", "resource.expense.vdefault    4 rules  policies/expense.yaml:1"],
    [":load policies/expense.yaml", "using resource.expense.vdefault: C.limit, C.unused, V.isOwner, V.isSmall, V.isMineAndSmall"],
    [`${use}V.isSmall`, "\ntrue\n"],
    [`${use}V.isMineAndSmall`, "\nfalse\n"],
    [`${use}C.unused`, "\n[1.0]\n"],
    [`${use}:let V.isOwner = true\nV.isMineAndSmall`, "\ntrue\n"],
    [`${use}runtime.effectiveDerivedRoles\n:resource 2\nruntime.effectiveDerivedRoles`, '\n[]\nR is expense e-2\n["owner"]\n'],
    [`${use}:rules`, "#1  small      allow approve to manager  when all of (V.isSmall; R.attr.team == P.attr.team)"],
    [`${use}:rules`, "#4  owner      derived role of manager   when R.attr.owner == P.id"],
    [
      `${use}:exec`,
      "small: allow approve to manager: holds\nnever-own: deny approve to *: does not hold\nrule-003: allow view to owner: holds, for there is no condition; the derived role owner is not active\n",
    ],
    [
      `${use}:exec 1`,
      'holds\n  policies/expense.yaml:13\n  all of\n    V.isSmall  = true\n    R.attr.team == P.attr.team  = true\n      R.attr.team               = "design"\n',
    ],
    [`${use}:exec #2`, "never-own: deny approve to *: does not hold"],
    [
      `${use}:let R.attr = {"team": 1}\n:exec small`,
      "  = note: an expression that fails is false where it stands\n      = hint: the variable `isSmall` has no value: no such key: amount",
    ],
    [
      `${use}:check`,
      "approve: EFFECT_ALLOW by resource.expense.vdefault\n  deny   never-own  as manager  condition not met\n  allow  small      as manager  satisfied\n".split(
        "\n",
      )[0] ?? "",
    ],
    [`${use}:check view nope`, "nope: EFFECT_DENY"],
    [":load policies\n:use derived_roles.expense_roles\n:exec", "owner: derived role of manager: does not hold\n"],
    [`${use}:js V.isOwner`, "q.principal.id"],
    [`${use}:use none\n:use`, "V and C are empty\n   derived_roles.expense_roles"],
  ])("%s", async (lines, says) => {
    const { out, err } = await runSession(lines, setting);
    expect(err).toBe("");
    expect(out).toContain(says);
  });

  test.each([
    [`${use}V.isOwnr`, "did you mean `isOwner`?"],
    [`${use}:let R.attr = {}\nV.isSmall`, "= hint: the variable `isSmall` has no value: no such key: amount"],
    [`${use}:exec smal`, "did you mean `small`?"],
    [`${use}:use resource.expnse.vdefault`, "did you mean `resource.expense.vdefault`?"],
    [":load broken.yaml", "broken.yaml:4:21: error invalid-expression"],
  ])("%s: what is wrong is said", async (lines, says) => {
    const broken = "apiVersion: api.authz.dev/v1\nexportVariables:\n  name: broken\n  definitions: { x: '1 +' }\n";
    const { err } = await runSession(lines, { ...setting, files: { ...expenseFiles, "broken.yaml": broken } });
    expect(err).toContain(says);
  });

  test("a policy that does not load leaves those before it in force", async () => {
    const files = { ...expenseFiles, "bad.yaml": "resourcePolicy: {}" };
    const { out } = await runSession(`${use}:load bad.yaml\nV.isSmall`, { ...setting, files });
    expect(out.endsWith("\ntrue\n")).toBe(true);
  });
});

test("what an output tells is printed as a value is: in a pipe up to 4 MiB, at a terminal up to 16 KiB and over several lines", async () => {
  const rule = "{ actions: [view], effect: EFFECT_ALLOW, roles: [user], output: { when: { ruleActivated: R.attr } } }";
  const policy = `apiVersion: api.authz.dev/v1\nresourcePolicy: { resource: album, version: default, rules: [${rule}] }\n`;
  const check = (long: number, setting: SessionSetup): ReturnType<typeof runSession> =>
    runSession(":load p.yaml\n:check view", {
      request: { principal: { id: "ann", roles: ["user"] }, resource: { kind: "album", attr: { at: "x", long: "y".repeat(long) } } },
      files: { "p.yaml": policy },
      ...setting,
    });
  expect((await check(100_000, {})).out).toContain(`{"at": "x", "long": "${"y".repeat(100_000)}"}\n`);
  expect((await check(100_000, { output: "json" })).out).toContain("y".repeat(100_000));
  const { out } = await check(100_000, { width: 80 });
  expect([out.length > 16_384, out.length < 17_384, out.includes("…")]).toEqual([true, true, true]);
  expect((await check(80, { width: 40 })).out).toContain(
    `  output of resource.album.vdefault#rule-001: {\n    "at": "x",\n    "long": "${"y".repeat(80)}"\n  }\n`,
  );
});

describe("policies of every type", () => {
  const head = "apiVersion: api.authz.dev/v1\n";
  const files = {
    "p/album.yaml": `${head}resourcePolicy:
  resource: album
  version: default
  importDerivedRoles: [album_roles]
  rules:
    - { name: view, actions: [view, edit], effect: EFFECT_ALLOW, roles: [user], output: { when: { ruleActivated: '"by " + P.id' } } }
    - { name: own, actions: [delete], effect: EFFECT_ALLOW, derivedRoles: [owner] }
`,
    "p/acme.yaml": `${head}resourcePolicy:
  resource: album
  version: default
  scope: acme
  rules:
    - { name: small, actions: [edit], effect: EFFECT_DENY, roles: [user], condition: { match: { expr: R.attr.locked == true } }, output: { when: { conditionNotMet: R.attr.nothing } } }
`,
    "p/roles.yaml": `${head}derivedRoles: { name: album_roles, definitions: [{ name: owner, parentRoles: [user], condition: { match: { expr: R.attr.owner == P.id } } }] }\n`,
    "p/ann.yaml": `${head}principalPolicy:
  principal: ann
  version: default
  variables: { local: { isLocked: R.attr.locked == true } }
  rules: [{ resource: album, actions: [{ name: unlocked, action: "print", effect: EFFECT_ALLOW, condition: { match: { expr: "!V.isLocked" } } }] }]
`,
    "p/clerk.yaml": `${head}rolePolicy:
  role: clerk
  version: default
  scope: acme
  parentRoles: [user]
  rules: [{ resource: album, allowActions: [view], condition: { match: { expr: size(runtime.effectiveDerivedRoles) == 0 } } }]
`,
  };
  const request = {
    principal: { id: "ann", roles: ["user"] },
    resource: { kind: "album", id: "a", attr: { owner: "ann", locked: false } },
    actions: ["view", "edit", "print"],
  };
  const setting: SessionSetup = { request, files };
  test.each([
    [":load p", "principal.ann.vdefault        1 rule   p/ann.yaml:1"],
    [":load p", "role.clerk.vdefault/acme      1 rule   p/clerk.yaml:1"],
    [
      ":load p\n:check view",
      'view: EFFECT_ALLOW by resource.album.vdefault\n  allow  resource.album.vdefault#view  as user  satisfied\n  output of resource.album.vdefault#view: "by ann"\n',
    ],
    [":load p\n:check print", "print: EFFECT_ALLOW by principal.ann.vdefault\n  allow  principal.ann.vdefault#unlocked    satisfied\n"],
    [
      ':load p\n:let R.scope = "acme"\n:check edit',
      "edit: EFFECT_ALLOW by resource.album.vdefault/acme\n  -      resource.album.vdefault/acme#small  as user  condition not met\n",
    ],
    [':load p\n:let R.scope = "acme"\n:check edit', "  output of resource.album.vdefault/acme#small: error: "],
    [
      ':load p\n:let R.scope = "acme"\n:let R.attr.locked = true\n:check edit',
      "edit: EFFECT_DENY by resource.album.vdefault/acme in scope acme\n",
    ],
    [':load p\n:let R.scope = "acme"\n:let P.roles = ["clerk"]\n:check view edit', "view: EFFECT_ALLOW by resource.album.vdefault/acme\n"],
    [
      ':load p\n:let R.scope = "acme"\n:let P.roles = ["clerk"]\n:check edit',
      "edit: EFFECT_DENY by role.clerk.vdefault/acme in scope acme\n  deny  role.clerk.vdefault/acme  as clerk  action not listed\n",
    ],
    [":load p\n:check prnt", "prnt: EFFECT_DENY by resource.album.vdefault\n  = note: no rule of resource.album.vdefault allows `prnt`"],
    [
      ':load p\n:let R.kind = "albun"\n:check view edit',
      "view: EFFECT_DENY by NO_MATCH\n  = note: no policy is about the kind `albun`; did you mean `album`?\nedit: EFFECT_DENY by NO_MATCH\n  = note: ",
    ],
    [":load p\n:use principal.ann.vdefault\nV.isLocked", "V.isLocked\nfalse\n"],
    [":load p\n:use principal.ann.vdefault\n:exec", "unlocked: allow print on album: holds\n"],
    [":load p\n:use principal.ann.vdefault\nruntime.effectiveDerivedRoles", "\n[]\n"],
    [":load p\n:use resource.album.vdefault\nruntime.effectiveDerivedRoles", '\n["owner"]\n'],
    [":load p\n:use resource.album.vdefault/acme\nruntime.effectiveDerivedRoles", "\n[]\n"],
    [":load p\n:use role.clerk.vdefault/acme\n:exec", "#1: may view on album: holds\n"],
    [':load p\n:let P.roles = ["clerk"]\n:use resource.album.vdefault\nruntime.effectiveDerivedRoles', "\n[]\n"],
    [':load p\n:let P.scope = "acme"\nP.scope', '\n"acme"\n'],
    [':load p\n:let P.roles = ["clerk"]\n:let R.scope = ".acme"\n:check view', "view: EFFECT_ALLOW by resource.album.vdefault/acme\n"],
    [`:load p\n:let P.id = "${"a".repeat(10_000)}"\n:check view`, `  output of resource.album.vdefault#view: "by ${"a".repeat(10_000)}"\n`],
    [":load p\n:use role.clerk.vdefault/acme\n:rules", "#1  #1  may view on album  when size(runtime.effectiveDerivedRoles) == 0"],
  ])("%s", async (lines, says) => {
    const { out, err } = await runSession(lines, setting);
    expect(err).toBe("");
    expect(out).toContain(says);
  });
});

describe("as JSON, one line each", () => {
  test.each([
    ["1 + 1", { expression: "1 + 1", value: 2, type: "int" }],
    ["R.attr.amount", { expression: "R.attr.amount", value: 250, type: "double" }],
    ["P", { expression: "P", value: { id: "maria", roles: ["manager"], attr: { team: "design" } }, type: "principal" }],
    ["type(1)", { expression: "type(1)", value: "int", type: "type(int)" }],
    [":let x = [1]", { command: ":let x = [1]", value: [1], type: "list(int)" }],
    [":type 1", { command: ":type 1", text: "int" }],
    ["1 / 0", { expression: "1 / 0", error: "division by zero", issues: [{ message: "division by zero", line: 1, column: 1 }] }],
  ])("%s", async (line, wanted) => {
    const { out, err } = await runSession(line, { ...expense, output: "json" });
    expect(err).toBe("");
    expect(out.split("\n").map((text) => (text === "" ? "" : JSON.parse(text)))).toEqual([wanted, ""]);
  });
});

describe("nothing hangs the console, and nothing fills it", () => {
  const long = ':let s = "aaaaaaaaaaaaaaaa"\n' + ":let s = s + s + s + s + s + s + s + s\n".repeat(5);
  test.each([
    [":let x = lists.range(1000000)\n:let y = [x, x, x]\n:let z = [y, y]", "the value has 6000009 parts"],
    [`${"[".repeat(240)}1${"]".repeat(240)}\n[${"[".repeat(239)}_${"]".repeat(239)}]\n[${"[".repeat(239)}_${"]".repeat(239)}]`, "nests 7"],
    [`${"(".repeat(10_000)}1`, "nested more than 250 levels deep"],
    [`${long}s.matches("(a+)+$") && 1 / 0 > 1`, "division by zero"],
    [`${"1 + ".repeat(60_000)}1`, "longer than 100000 characters"],
    [`:let R.attr.x = ${"[".repeat(1_100)}${"]".repeat(1_100)}`, "nested"],
  ])("%s", async (lines, says) => {
    const { err } = await runSession(lines);
    expect(err).toContain(says);
  });

  test.each([
    ["lists.range(1000).all(x, lists.range(1000).all(y, y >= 0))"],
    [":why lists.range(1000).all(x, lists.range(1000).all(y, y >= 0))"],
    [":let x = lists.range(1000).map(x, lists.range(1000)) == []"],
  ])("%s takes too much work, and is refused", async (line) => {
    const { err } = await runSession(line, { maxWork: 50_000 });
    expect(err).toContain("error: this takes too much work");
  });

  test("a value is printed up to a bound, and what is left out is counted", async () => {
    const { out } = await runSession(`${long}[s, s, s]\nlists.range(100000)`, { width: 80 });
    expect(out.length).toBeLessThan(100_000);
    expect(out).toContain("more");
  });

  test("what a request holds cannot move the cursor of a terminal", async () => {
    const { out } = await runSession("R.attr\n:why R.attr.x == R.attr.y", {
      request: { resource: { attr: { x: "\u009b2J\u202e" } } },
      width: 80,
    });
    expect(out).not.toMatch(/[\u0080-\u009f\u202e]/);
  });

  test("nor can what a policy says, nor the request as JSON, which stays what it was", async () => {
    const escapes = String.raw`\e[2J\x9b2J\u202e`;
    const policy = [
      "apiVersion: api.cerbos.dev/v1",
      "resourcePolicy:",
      "  resource: expense",
      "  version: default",
      `  constants: { local: { c: "${escapes}" } }`,
      `  variables: { local: { v: 'R.attr.x == "${escapes.replaceAll("\\e", "\\x1b")}"' } }`,
      "  rules:",
      `    - { name: small, actions: ["${escapes}"], roles: ["${escapes}"], effect: EFFECT_ALLOW, condition: { match: { expr: V.v && C.c == "" } } }`,
    ].join("\n");
    const attr = { x: "\u009b2J\u202e\u007f" };
    const request = { principal: { id: "a", roles: ["\u001b[2J"] }, resource: { kind: "expense", id: "1", attr } };
    const { out, err } = await runSession(":load p.yaml\n:rules\n:exec\n:exec 1\n:check a\u009b2J\n:request\n:vars\n:use", {
      request,
      files: { "p.yaml": policy },
      width: 80,
    });
    expect(err).toBe("");
    expect(out).toContain("#1");
    expect(out).not.toMatch(/[\u001b\u007f-\u009f\u202e]/);
    const { out: json } = await runSession(":request", { request });
    expect(JSON.parse(json)).toMatchObject({ resource: { attr } });
  });
});
