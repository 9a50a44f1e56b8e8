/** The fast path through role policies, which is taken where nothing else is asked, decides as the general algorithm does. */
import { describe, expect, it } from "vitest";
import { ask, evaluatorOf, options, told } from "./policies.ts";
import { derivedRoles, principal, resource, role } from "./policies-of-all-types.ts";

const evaluator = evaluatorOf(
  derivedRoles("r", ["owner of user if R.attr.owner == P.id"]),
  resource("k", ["allow a, b, c to user", "deny b to boss", "allow d to derived owner", "allow e to clerk if R.attr.x == 1.0"], {
    importDerivedRoles: ["r"],
  }),
  resource("k", ["deny c to user if R.attr.x == 2.0", "allow f to boss"], { scope: "acme" }),
  role("clerk", ["user"], ["k: a, c, e", "k: b, d if R.attr.x == 1.0"]),
  role("boss", ["clerk"], ["k: a, b, c, d, f"]),
  role("boss", ["clerk", "temp"], ["k: a, c if P.id == 'ann'", "k: f"], { scope: "acme" }),
  role("temp", ["user"], ["k: ?", "other: *"], { scope: "acme" }),
  role("alien", ["user"], ["other: *"], { scope: "acme" }),
);

const lists: readonly (readonly string[])[] = [
  ["user"],
  ["clerk"],
  ["boss"],
  ["temp"],
  ["alien"],
  ["clerk", "user"],
  ["boss", "temp"],
  ["temp", "boss"],
  ["alien", "boss"],
  ["stranger", "clerk"],
  ["clerk", "boss", "temp", "alien", "user", "clerk", "a", "b"],
  ["clerk", "boss", "temp", "alien", "stranger", "clerk", "a", "b", "c"],
];

it.each(lists.map((roles) => [roles]))("as %j", (roles) => {
  const inputs = ["", "acme", "acme.hr"].flatMap((scope) =>
    [1, 2].flatMap((x) =>
      ["ann", "bob"].map((owner) => ({
        principal: { id: "ann", roles },
        resource: { kind: "k", id: "1", scope, attr: { x, owner } },
        actions: ["a", "b", "c", "d", "e", "f", "print"],
      })),
    ),
  );
  const decide = (effectiveDerivedRoles: boolean): readonly (readonly string[])[] =>
    evaluator.check(inputs, { ...options, effectiveDerivedRoles, lenientScopeSearch: true }).map(told);
  const [short, long] = [decide(false), decide(true)];
  expect(short).toEqual(long);
  // What the last input was asked about is not what this one is.
  expect(inputs.map((input) => decideOne(input))).toEqual(long);
});

const decideOne = ({ principal, resource: asked, actions }: Parameters<typeof evaluator.check>[0][number]): readonly string[] =>
  told(
    ask(evaluator, principal.roles, asked.kind, actions, {
      input: { principal, resource: asked },
      options: { effectiveDerivedRoles: false, lenientScopeSearch: true },
    }),
  );

const first = "R.attr.x == 1.0";
const second = "R.attr.y == 1.0";

describe.each([
  ["of two roles", "", [role("boss", ["clerk"], [`k: a if ${first}`]), role("clerk", ["user"], [`k: a if ${second}`])]],
  [
    "of two scopes of one role",
    "acme",
    [role("boss", ["user"], [`k: a if ${first}`]), role("boss", ["user"], [`k: a if ${second}`], { scope: "acme" })],
  ],
])("each of the policies %s has conditions of its own", (_sentence, scope, roles) => {
  const narrowed = evaluatorOf(resource("k", ["allow a to user"]), resource("k", [], { scope: "acme" }), ...roles);
  it.each([
    [1, 1, "EFFECT_ALLOW"],
    [1, 0, "EFFECT_DENY"],
    [0, 1, "EFFECT_DENY"],
    [0, 0, "EFFECT_DENY"],
  ])("x %d, y %d: %s", (x, y, wanted) => {
    const input = { resource: { kind: "k", id: "1", scope, attr: { x, y } } };
    for (const effectiveDerivedRoles of [false, true])
      expect(ask(narrowed, ["boss"], "k", ["a"], { input, options: { effectiveDerivedRoles } }).actions.get("a")?.effect).toBe(wanted);
  });
});

const telling = evaluatorOf(
  derivedRoles("r", ["owner of user if R.attr.owner == P.id"]),
  resource("k", ["allow a to user", "deny no to derived owner"], { importDerivedRoles: ["r"] }),
  role("clerk", ["user"], ['k: a if "owner" in runtime.effectiveDerivedRoles']),
);

it.each([
  ["ann", "a: ALLOW by resource.k.vdefault"],
  ["bob", "a: DENY by role.clerk.vdefault"],
])("is not taken where a role policy reads the derived roles: a resource of %s", (owner, wanted) => {
  const input = { resource: { kind: "k", id: "1", attr: { owner } } };
  for (const effectiveDerivedRoles of [false, true])
    expect(told(ask(telling, ["clerk"], "k", ["a"], { input, options: { effectiveDerivedRoles } }))).toEqual([wanted]);
});

const withPrincipals = evaluatorOf(
  resource("k", ["allow a to user", "deny b to user"]),
  role("clerk", ["user"], ["k: a, b"]),
  principal("ann", ["k: deny a", "k: allow b"]),
);

it.each([["user"], ["clerk"]])("is not taken where the principal has policies: as %s", (asked) => {
  for (const effectiveDerivedRoles of [false, true])
    expect(told(ask(withPrincipals, [asked], "k", ["a", "b"], { options: { effectiveDerivedRoles } }))).toEqual([
      "a: DENY by principal.ann.vdefault",
      "b: ALLOW by principal.ann.vdefault",
    ]);
});

const outspoken = evaluatorOf(
  resource("k", ["allow a to user"]),
  role("clerk", ["user"], [{ resource: "k", allowActions: ["a"], output: { when: { ruleActivated: '"told"' } } }]),
);

it("is not taken where a role policy tells something", () => {
  for (const effectiveDerivedRoles of [false, true]) {
    const { outputs } = ask(outspoken, ["clerk"], "k", ["a"], { options: { effectiveDerivedRoles } });
    expect(outputs.map(({ val }) => val)).toEqual(["told"]);
  }
});
