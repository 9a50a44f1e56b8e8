/** The decision algorithm over compiled policies: rows, kinds, versions, scopes, evaluation errors, strict evaluation, bounds. */
import { describe, expect, it } from "vitest";
import { evaluateInThisRealm, load } from "../../../runtime/load.ts";
import { ask, bundleOf, evaluatorOf, resourcePolicy, told } from "./policies.ts";

const rule = (effect: "ALLOW" | "DENY", actions: string, roles: string, expr?: string): string =>
  `- actions: [${actions}]\n  effect: EFFECT_${effect}\n  roles: [${roles}]${expr === undefined ? "" : `\n  condition: { match: { expr: ${JSON.stringify(expr)} } }`}`;

describe("rows", () => {
  const evaluator = evaluatorOf(
    resourcePolicy(
      "doc",
      [
        rule("ALLOW", "view, edit", "user"),
        rule("DENY", "edit", "user", "R.attr.locked == true"),
        rule("ALLOW", '"*"', "admin"),
        rule("DENY", '"purge:*"', '"*"', "P.attr.level < 9"),
      ].join("\n"),
    ),
  );

  it.each<[sentence: string, roles: readonly string[], action: string, R: object, P: object, told: string]>([
    ["an allowed action", ["user"], "view", {}, {}, "view: ALLOW by resource.doc.vdefault"],
    ["DENY beats ALLOW within a role", ["user"], "edit", { locked: true }, {}, "edit: DENY by resource.doc.vdefault"],
    ["a DENY that fails is skipped", ["user"], "edit", {}, {}, "edit: ALLOW by resource.doc.vdefault"],
    ["ALLOW of another role beats DENY", ["user", "admin"], "edit", { locked: true }, {}, "edit: ALLOW by resource.doc.vdefault"],
    ["nobody says anything", ["guest"], "view", {}, {}, "view: DENY by resource.doc.vdefault"],
    ["a pattern of actions", ["admin"], "purge:all", {}, { level: 10 }, "purge:all: ALLOW by resource.doc.vdefault"],
    ["a pattern denies", ["admin"], "purge:all", {}, { level: 1 }, "purge:all: DENY by resource.doc.vdefault"],
    ["a pattern stops at the colon", ["admin"], "purge:all:now", {}, { level: 1 }, "purge:all:now: ALLOW by resource.doc.vdefault"],
    ["an action named like a built-in", ["user"], "constructor", {}, {}, "constructor: DENY by resource.doc.vdefault"],
    ["a role named like a built-in", ["__proto__"], "view", {}, {}, "view: DENY by resource.doc.vdefault"],
  ])("%s", (_, roles, action, R, P, expected) => {
    expect(told(ask(evaluator, roles, "doc", [action], { R, P }))).toEqual([expected]);
  });

  it.each(["other", "constructor", "__proto__", "toString", "Doc", "doc "])("nothing matches kind %j", (kind) => {
    expect(told(ask(evaluator, ["admin"], kind, ["view"]))).toEqual(["view: DENY by NO_MATCH"]);
  });

  it("answers actions in the order of the request", () => {
    expect(told(ask(evaluator, ["user"], "doc", ["edit", "fly", "view"])).map((line) => line.split(":")[0])).toEqual([
      "edit",
      "fly",
      "view",
    ]);
  });
});

describe("more conditions than there are bits", () => {
  const many = Array.from({ length: 70 }, (_, at) => at);
  const evaluator = evaluatorOf(
    resourcePolicy(
      "doc",
      many
        .flatMap((at) => [
          rule("ALLOW", `a${at}`, "user", `R.attr.x >= ${at}.5`),
          rule("DENY", `a${at}`, "user", `R.attr.x == ${at + 2}.25`),
        ])
        .join("\n"),
    ),
  );

  it.each(many)("each is asked for itself: that of action a%i", (at) => {
    const effects = [at, at + 1, at + 2.25, at + 2].map((x) => told(ask(evaluator, ["user"], "doc", [`a${at}`, "a0"], { R: { x } }))[0]);
    expect(effects.map((effect) => effect?.split(" ")[1])).toEqual(["DENY", "ALLOW", "DENY", "ALLOW"]);
  });

  it("and asked again it says the same", () => {
    const actions = many.flatMap((at) => [`a${at}`, `a${at}`]);
    const [once, twice] = [actions, [...actions, ...actions]].map((asked) =>
      told(ask(evaluator, ["user"], "doc", asked, { R: { x: 40 } })),
    );
    expect(twice).toEqual(once);
    expect(once?.filter((line) => line.includes("ALLOW")).length).toBe(40);
  });
});

describe("kinds, versions and scopes", () => {
  const evaluator = evaluatorOf(
    resourcePolicy("leave-request", rule("ALLOW", "view", "user")),
    resourcePolicy("leave-request", rule("ALLOW", "edit", "user")).replace("version: default", "version: v2"),
  );

  it.each<[sentence: string, kind: string, version: string | undefined, scope: string | undefined, expected: readonly string[]]>([
    [
      "the kind as written",
      "leave-request",
      undefined,
      undefined,
      ["view: ALLOW by resource.leave_request.vdefault", "edit: DENY by resource.leave_request.vdefault"],
    ],
    [
      "the kind as sanitised",
      "leave_request",
      "",
      "",
      ["view: ALLOW by resource.leave_request.vdefault", "edit: DENY by resource.leave_request.vdefault"],
    ],
    [
      "another version",
      "leave-request",
      "v2",
      undefined,
      ["view: DENY by resource.leave_request.vv2", "edit: ALLOW by resource.leave_request.vv2"],
    ],
    ["a version that is not there", "leave-request", "v3", undefined, ["view: DENY by NO_MATCH", "edit: DENY by NO_MATCH"]],
    [
      "the root scope by a dot",
      "leave-request",
      undefined,
      ".",
      ["view: ALLOW by resource.leave_request.vdefault", "edit: DENY by resource.leave_request.vdefault"],
    ],
    ["a scope that is not there", "leave-request", undefined, "acme", ["view: DENY by NO_MATCH", "edit: DENY by NO_MATCH"]],
  ])("%s", (_, kind, policyVersion, scope, expected) => {
    const resource = {
      kind,
      id: "1",
      ...(policyVersion === undefined ? {} : { policyVersion }),
      ...(scope === undefined ? {} : { scope }),
    };
    expect(told(ask(evaluator, ["user"], kind, ["view", "edit"], { input: { resource } }))).toEqual(expected);
  });

  it("searches upwards when lenient", () => {
    const resource = { kind: "leave-request", id: "1", scope: "acme.hr" };
    const decision = ask(evaluator, ["user"], "leave-request", ["view"], { input: { resource }, options: { lenientScopeSearch: true } });
    expect(told(decision)).toEqual(["view: ALLOW by resource.leave_request.vdefault"]);
  });

  it("takes the defaults of the call, never those of an earlier one", () => {
    const asked = (defaultPolicyVersion: string, defaultScope: string) =>
      told(ask(evaluator, ["user"], "leave-request", ["edit"], { options: { defaultPolicyVersion, defaultScope } }));
    expect(asked("v2", "")).toEqual(["edit: ALLOW by resource.leave_request.vv2"]);
    expect(asked("default", "")).toEqual(["edit: DENY by resource.leave_request.vdefault"]);
    expect(asked("v2", "acme")).toEqual(["edit: DENY by NO_MATCH"]);
    expect(asked("v2", "")).toEqual(["edit: ALLOW by resource.leave_request.vv2"]);
  });
});

describe("what conditions see", () => {
  it.each<[sentence: string, scope: string | undefined, resourceScope: string | undefined]>([
    ["of both", ".acme", ".acme"],
    ["of the principal alone", ".acme", "acme"],
    ["of the resource alone", "acme", ".acme"],
    ["of neither", "acme", "acme"],
  ])("is a scope without its dot: %s", (_, principalScope, resourceScope) => {
    const seen = rule("ALLOW", "view", "user", 'P.scope == "acme" && R.scope == "acme"');
    const evaluator = evaluatorOf(resourcePolicy("doc", rule("DENY", "edit", "user")), resourcePolicy("doc", seen, "  scope: acme\n"));
    const input = {
      principal: { id: "ann", roles: ["user"], scope: principalScope },
      resource: { kind: "doc", id: "1", scope: resourceScope },
    };
    for (const options of [{}, { strictEvaluation: true }, { effectivePolicies: true }])
      expect(told(ask(evaluator, ["user"], "doc", ["view"], { input, options }))).toEqual([
        "view: ALLOW by resource.doc.vdefault/acme in acme",
      ]);
  });

  it("is the time of their own call, where they find it", () => {
    const evaluator = evaluatorOf(resourcePolicy("doc", rule("ALLOW", "view", "user", "string(now()) == R.attr.said")));
    const calls: readonly (readonly [said: string, now: number, nowOffset?: number])[] = [
      ["2024-02-29T12:00:00Z", 1_709_208_000_000],
      ["2024-02-29T12:00:00Z", 1_709_208_000_000],
      ["2024-02-29T12:00:01Z", 1_709_208_001_000],
      ["2024-02-29T14:00:01+02:00", 1_709_208_001_000, 120],
      ["2024-02-29T12:00:00Z", 1_709_208_000_000],
      ["1970-01-01T00:00:00Z", 0],
    ];
    for (const [said, now, nowOffset] of calls)
      expect([
        said,
        ...told(
          ask(evaluator, ["user"], "doc", ["view"], { R: { said }, options: { now, ...(nowOffset !== undefined && { nowOffset }) } }),
        ),
      ]).toEqual([said, "view: ALLOW by resource.doc.vdefault"]);
  });
});

describe("evaluation errors", () => {
  const head = "  variables:\n    local:\n      team: R.attr.team.name\n      late: R.attr.days > 3\n";
  const evaluator = evaluatorOf(
    resourcePolicy(
      "doc",
      [
        rule("ALLOW", "view", "user", 'V.team == "core"'),
        rule("ALLOW", "view", "user", "R.attr.open"),
        rule("DENY", "view", "user", "V.late"),
        rule("ALLOW", "list", "user"),
        rule("ALLOW", "edit", "manager", "1 / 0 == 1"),
      ].join("\n"),
      head,
    ),
  );
  const errorsOf = (roles: readonly string[], actions: readonly string[], R: object) =>
    ask(evaluator, roles, "doc", actions, { R, options: { evaluationErrors: true } }).evaluationErrors.map(
      ({ expression, message, part }) => `${expression} -> ${expression.slice(part?.start, part?.end)}: ${message}`,
    );
  const unset = "the variable's own expression failed";

  it.each<[sentence: string, roles: readonly string[], actions: readonly string[], R: object, expected: readonly string[]]>([
    ["nothing fails", ["user"], ["view"], { team: { name: "core" }, days: 1, open: true }, []],
    [
      "a variable and the condition that reads it",
      ["user"],
      ["view"],
      { days: 1, open: true },
      ["R.attr.team.name -> R.attr.team: no such key: team", `V.team == "core" -> V.team: undefined field 'team'; ${unset}`],
    ],
    [
      "every rule that was considered, once",
      ["user", "user2"],
      ["view"],
      {},
      [
        "R.attr.days > 3 -> R.attr.days: no such key: days",
        "R.attr.open -> R.attr.open: no such key: open",
        "R.attr.team.name -> R.attr.team: no such key: team",
        `V.late -> V.late: undefined field 'late'; ${unset}`,
        `V.team == "core" -> V.team: undefined field 'team'; ${unset}`,
      ],
    ],
    ["the variables of a rule without condition", ["user"], ["list"], { days: 1 }, ["R.attr.team.name -> R.attr.team: no such key: team"]],
    ["no rule considered, no variable evaluated", ["guest"], ["view", "list"], {}, []],
    ["no rule of another role", ["user"], ["edit"], {}, []],
    ["a constant that fails", ["manager"], ["edit"], { team: { name: "x" }, days: 1 }, ["1 / 0 == 1 -> 1 / 0: division by zero"]],
  ])("%s", (_, roles, actions, R, expected) => {
    expect(errorsOf(roles, actions, R)).toEqual(expected);
  });

  it("are named only when asked for", () => {
    expect(ask(evaluator, ["user"], "doc", ["view"]).evaluationErrors).toEqual([]);
  });
});

describe("strict evaluation", () => {
  const evaluator = evaluatorOf(
    resourcePolicy(
      "doc",
      [
        rule("ALLOW", "view", "user"),
        rule("ALLOW", "view", "user", "R.attr.open == true"),
        rule("ALLOW", "edit", "user", "R.attr.open == true"),
        rule("ALLOW", "edit, view", "admin"),
        rule("ALLOW", "list", "user", "R.attr.missing == 1 || R.attr.n == 1"),
        rule("ALLOW", "print", "user", "R.attr.n"),
      ].join("\n"),
    ),
  );

  it.each<[sentence: string, roles: readonly string[], action: string, R: object, lax: string, strict: string]>([
    ["an error denies", ["user"], "view", {}, "ALLOW", "DENY"],
    ["an error ends the action, whatever another role would say", ["user", "admin"], "edit", {}, "ALLOW", "DENY"],
    ["a role before the error allows", ["admin", "user"], "edit", {}, "ALLOW", "ALLOW"],
    ["no error, no difference", ["user"], "edit", { open: true }, "ALLOW", "ALLOW"],
    ["an absorbed error is none", ["user"], "list", { n: 1 }, "ALLOW", "ALLOW"],
    ["an error that is not absorbed", ["user"], "list", { n: 2 }, "DENY", "DENY"],
    ["what is no boolean is plain false", ["user"], "print", { n: 2 }, "DENY", "DENY"],
  ])("%s", (_, roles, action, R, lax, strict) => {
    const effect = (strictEvaluation: boolean): string | undefined =>
      ask(evaluator, roles, "doc", [action], { R, options: { strictEvaluation } }).actions.get(action)?.effect.slice("EFFECT_".length);
    expect([effect(false), effect(true)]).toEqual([lax, strict]);
  });
});

describe("too much work", () => {
  const loops = "R.attr.l.exists(a, R.attr.l.exists(b, R.attr.l.exists(c, R.attr.l.exists(d, a + b + c + d > 1000000.0))))";
  const evaluator = evaluatorOf(
    resourcePolicy(
      "doc",
      [rule("ALLOW", "view", "user", `!(${loops})`), rule("ALLOW", "edit", "user", `${loops} || true`), rule("ALLOW", "list", "user")].join(
        "\n",
      ),
    ),
  );

  it("is an error of the condition, and the next action is decided as ever (D46)", () => {
    const R = { l: Array.from({ length: 60 }, (_, at) => at) };
    const decision = ask(evaluator, ["user"], "doc", ["view", "edit", "list"], { R, options: { evaluationErrors: true } });
    expect(Array.from(decision.actions.values(), ({ effect }) => effect)).toEqual(["EFFECT_DENY", "EFFECT_DENY", "EFFECT_ALLOW"]);
    const innermost = "R.attr.l.exists(d, a + b + c + d > 1000000.0)";
    expect(
      decision.evaluationErrors.map(({ expression, message, part }) => [expression, expression.slice(part?.start, part?.end), message]),
    ).toEqual([
      [`!(${loops})`, innermost, "too many steps: more than 1000000"],
      [`${loops} || true`, innermost, "too many steps: more than 1000000"],
    ]);
  });

  it("is one under strict evaluation too, whatever the rest of the condition says", () => {
    const R = { l: Array.from({ length: 60 }, (_, at) => at) };
    const decision = ask(evaluator, ["user"], "doc", ["view", "edit", "list"], { R, options: { strictEvaluation: true } });
    expect(Array.from(decision.actions.values(), ({ effect }) => effect)).toEqual(["EFFECT_DENY", "EFFECT_DENY", "EFFECT_ALLOW"]);
  });
});

describe("turns of loops", () => {
  const everyPair = "R.attr.l.all(x, R.attr.l.all(y, y >= 0.0))";
  const head = `  variables:\n    local:\n      blocked: ${JSON.stringify(everyPair)}\n`;
  const rows = [rule("ALLOW", "view", '"*"'), rule("DENY", "view", '"*"', `V.blocked && ${everyPair}`)].join("\n");
  const evaluator = evaluatorOf(resourcePolicy("doc", rows, head));
  const l = Array.from({ length: 800 }, (_, at) => at);

  it.each([false, true])("a variable has a count of its own, as if it were not read in a condition (strict: %s)", (strictEvaluation) => {
    expect(told(ask(evaluator, ["user"], "doc", ["view"], { R: { l }, options: { strictEvaluation } }))).toEqual([
      "view: DENY by resource.doc.vdefault",
    ]);
  });
});

describe("reading what does not belong to anybody", () => {
  it("finds nothing on prototypes, even polluted ones", () => {
    const evaluator = evaluatorOf(
      resourcePolicy("doc", rule("ALLOW", "view", "user", "R.attr.admin == true || has(R.attr.admin) || R.attr.deep.admin == true")),
    );
    const prototype = Object.prototype as { admin?: boolean };
    prototype.admin = true;
    try {
      expect(told(ask(evaluator, ["user"], "doc", ["view"], { R: { deep: {} } }))).toEqual(["view: DENY by resource.doc.vdefault"]);
    } finally {
      delete prototype.admin;
    }
  });

  it("keeps one input's answers from the next", () => {
    const evaluator = evaluatorOf(resourcePolicy("doc", rule("ALLOW", "view", "user", "R.attr.open == true")));
    const effects = [true, false, true].map(
      (open) => ask(evaluator, ["user"], "doc", ["view"], { R: { open } }).actions.get("view")?.effect,
    );
    expect(effects).toEqual(["EFFECT_ALLOW", "EFFECT_DENY", "EFFECT_ALLOW"]);
  });

  it("needs no policy at all to deny", () => {
    expect(told(ask(load({ ...bundleOf(), units: [] }, evaluateInThisRealm), ["user"], "doc", ["view"]))).toEqual([
      "view: DENY by NO_MATCH",
    ]);
  });
});
