/** What deciding draws besides conditions (D46.1): more roles, names, scopes and policies draw as much more at least, when first met and again. */
import { expect, test } from "vitest";
import { noteText, workStep } from "../../../runtime/cel/work.ts";
import { Timestamp } from "../../../runtime/cel/value.ts";
import type { CheckInput, CheckOptions } from "../../../runtime/decide/input.ts";
import { openQuery } from "../../../runtime/decide/open-query.ts";
import { type Prices, unmeasured } from "../../../runtime/decide/prices.ts";
import type { Query } from "../../../runtime/decide/query.ts";
import { spentOn } from "../spent-on.ts";
import { ask, evaluatorOf } from "./policies.ts";
import { derivedRoles, principal, resource, role, rule } from "./policies-of-all-types.ts";

/** Policies, and who asks about them to do `x`. */
interface Asked {
  readonly policies: readonly string[];
  readonly roles: readonly string[];
  readonly input?: Partial<CheckInput>;
}

const each = <T>(count: number, make: (at: number) => T): readonly T[] => Array.from({ length: count }, (_, at) => make(at));
const numbered = (count: number, name: string): readonly string[] => each(count, (at) => `${name}${at}`);

/** The scopes down to one that is so deep. */
const scopes = (count: number): readonly string[] => each(count, (depth) => numbered(depth, "s").join("."));
const deepest = (count: number): string => numbered(count - 1, "s").join(".");
const resourceIn = (scope: string): Partial<CheckInput> => ({ resource: { kind: "k", id: "1", scope, attr: {} } });
const annIn = (scope: string): Partial<CheckInput> => ({ principal: { id: "ann", roles: ["user"], scope, attr: {} } });

const conditions = each(100, (at) => rule(`deny x to asked if R.attr.size == ${at}.5`));
const telling = rule("allow x to user0", { output: { when: { ruleActivated: "'told'" } } });

/** What is asked draws, when it is first asked and when it is asked again. */
function drawn({ policies, roles, input = {} }: Asked, options: Partial<CheckOptions>): readonly [first: number, again: number] {
  const evaluator = evaluatorOf(...policies);
  const decide = (): number => spentOn(() => ask(evaluator, roles, "k", ["x"], { input, options }));
  return [decide(), decide()];
}

const derivedToo = {};
const derivedNot = { effectiveDerivedRoles: false };
const all = { effectivePolicies: true, evaluationErrors: true };

/** A role that asks a policy of a hundred rows with conditions. */
const rolesOn = (name: string): Asked => ({ policies: [resource("k", [...conditions, "deny y to other"])], roles: [name] });
const deep = (count: number): Asked => ({
  policies: scopes(count).map((scope) => resource("k", ["allow y to user"], { scope })),
  roles: ["user"],
  input: resourceIn(deepest(count)),
});

// The least price of a policy with one row about one action.
const ofPolicy = 16 + 2 + 8;

test.each<[what: string, asked: (count: number) => Asked, first: number, again: number, found?: number]>([
  // What each draws when it is first asked, asked again, and where its derived roles are found out.
  ["scope", deep, ofPolicy + 8 + 48 + 16, ofPolicy, ofPolicy],
  [
    "role policy above",
    (n) => ({
      policies: scopes(n).flatMap((scope) => [resource("k", ["allow y to user"], { scope }), role("clerk", ["user"], ["k: x"], { scope })]),
      roles: ["clerk"],
      input: resourceIn(deepest(n)),
    }),
    2 * ofPolicy + 2 * 8 + 48 + 16,
    2 * ofPolicy,
    ofPolicy,
  ],
  ["role that nobody knows", (n) => ({ policies: [resource("k", ["allow y to user"])], roles: numbered(n, "unknown") }), 4, 4],
  [
    "role among those of which one tells something",
    (n) => ({ policies: [resource("k", [telling])], roles: ["user0", ...numbered(n, "unknown")] }),
    4,
    4,
  ],
  [
    "name in policies",
    (n) => ({ policies: [resource("k", [rule(`allow y to ${numbered(n, "user").join(", ")}`)])], roles: ["unknown"] }),
    4,
    0,
  ],
  [
    "policy of a principal",
    (n) => ({ policies: scopes(n).map((scope) => principal("ann", ["k: allow y"], { scope })), roles: ["user"], input: annIn(deepest(n)) }),
    ofPolicy + 8,
    ofPolicy,
  ],
])("each %s", (_, asked, first, again, found = 0) => {
  for (const options of [derivedToo, derivedNot, all]) {
    const more = options === derivedNot ? 0 : found;
    // So few scopes are counted in the bits of a number, and so many are not.
    for (const count of [10, 40]) {
      const [few, many] = [drawn(asked(count), options), drawn(asked(2 * count), options)];
      expect((many[0] - few[0]) / count).toBeGreaterThanOrEqual(first + more);
      expect((many[1] - few[1]) / count).toBeGreaterThanOrEqual(again + more);
    }
  }
});

test.each<[what: string, asked: (count: number) => Asked, first: number]>([
  [
    "role of a principal whose derived roles are asked for",
    (n) => ({
      policies: [
        derivedRoles("all", ["owner of user"]),
        role("clerk", ["user"], ["k: x"]),
        resource("k", ["allow x to derived owner"], { importDerivedRoles: ["all"] }),
      ],
      roles: numbered(n, "unknown"),
    }),
    4 + 4,
  ],
  [
    "role that one narrows",
    (n) => ({
      policies: [
        derivedRoles("all", ["owner of user0"]),
        role("clerk", numbered(n, "user"), ["k: x"]),
        resource("k", ["allow x to derived owner"], { importDerivedRoles: ["all"] }),
      ],
      roles: ["clerk"],
    }),
    4 + 8,
  ],
])("each %s", (_, asked, first) => {
  const [[few], [many]] = [drawn(asked(40), derivedToo), drawn(asked(80), derivedToo)];
  expect((many - few) / 40).toBeGreaterThanOrEqual(first);
});

test("each condition that is asked", () => {
  expect(drawn(rolesOn("asked"), derivedNot)[1] - drawn(rolesOn("other"), derivedNot)[1]).toBeGreaterThanOrEqual(conditions.length);
});

const queryAt = (prices: Partial<Prices>): Query =>
  openQuery(
    { principal: { id: "ann", roles: [] }, resource: { kind: "k", id: "1" }, actions: [] },
    {},
    { now: new Timestamp(0, 0) },
    { onOutput: undefined, holdsStrictly: undefined, prices: { ...unmeasured, ...prices }, heldRoles: undefined },
  );

test("a step of a program may compare the longest string among its constants", () => {
  const drawnBy = (steps: number, longestText: number): number =>
    spentOn(() => {
      queryAt({ longestText });
      for (let left = steps; left > 0; left--) workStep();
    });
  expect([127, 128, 12_800].map((length) => drawnBy(2, length) - drawnBy(1, length))).toEqual([1, 2, 101]);
});

// What is under way draws again when a long string appears, as often as it is long.
const heavy = [{ length: 50, allocates: 0 }];
test.each<[what: string, prices: Partial<Prices>, run: (query: Query) => unknown]>([
  ["a condition", { conditions: heavy }, (query) => query.holds(0, () => true)],
  ["a condition of too many steps", { conditions: heavy }, (query) => query.holds(0, endless)],
  ["a variable of too many steps", { variables: heavy }, (query) => query.variable(0, endless)],
  ["an output of too many steps", { outputs: heavy }, (query) => query.outputOf(0, endless)],
  ["a variable", { variables: heavy }, (query) => query.variable(0, () => true)],
  ["an output", { outputs: heavy }, (query) => query.outputOf(0, () => true)],
])("%s that has ended is not under way any more", (_, prices, run) => {
  const drawnWith = (also: (query: Query) => unknown): number =>
    spentOn(() => {
      also(queryAt(prices));
      noteText(12_800);
    });
  const alone = spentOn(() => run(queryAt(prices)));
  expect(drawnWith(run) - alone).toBe(drawnWith(() => undefined));
});

const endless = (query: Query): boolean => {
  for (;;) query.step();
};

test("steps are paid for in advance, and those that were not taken are given back, once", () => {
  const taking =
    (steps: number) =>
    (query: Query): boolean => {
      for (let left = steps; left > 0; left--) query.step();
      return true;
    };
  for (const prices of [{}, { conditions: Array.from({ length: 9 }, () => ({ length: 1, allocates: 5 })) }]) {
    const drawnBy = (...steps: readonly number[]): number =>
      spentOn(() => {
        const query = queryAt(prices);
        for (const [index, each] of steps.entries()) query.holds(index, taking(each));
      });
    const [none, one, many] = [drawnBy(0), drawnBy(1), drawnBy(1500)];
    expect([one - none, many - none]).toEqual([1, 1500]);
    expect(drawnBy(1500, 1, 0, 1, 1500, 0)).toBe(2 * (many + one + none));
  }
});
