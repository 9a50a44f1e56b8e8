/** Bundles are stable bytes, and loading one evaluates each shape once. */
import { describe, expect, it } from "vitest";
import type { ConstantValue } from "../../runtime/bundle.ts";
import { check } from "../../compiler/cel/check.ts";
import { policyEnvironment } from "../../compiler/cel/environment.ts";
import { writeConstant } from "../../compiler/emit/constant.ts";
import { writeTree } from "../../compiler/emit/trees.ts";
import { parse } from "../../compiler/cel/parse.ts";
import type { Expression } from "../../runtime/cel/ast.ts";
import { Uint, type Value } from "../../runtime/cel/value.ts";
import { readConstant } from "../../runtime/constant.ts";
import { readTree } from "../../runtime/decide/trees.ts";
import { change, evaluateInThisRealm, load, loadInSteps } from "../../runtime/load.ts";
import { bundleChange } from "../../src/compile/bundle-change.ts";
import { checkedExpressions, guessedExpressions, namedExpressions, uncheckedExpressions } from "../compiler/emit/expressions.ts";
import { ask, bundleOf, resourcePolicy, told } from "./decide/policies.ts";

const policy = (kind: string, role: string, limit: number): string =>
  resourcePolicy(
    kind,
    `- actions: [view]\n  effect: EFFECT_ALLOW\n  roles: [${role}]\n  condition: { match: { expr: ${JSON.stringify(`R.attr.n < ${limit} && R.attr.state in ["a", "b"]`)} } }`,
  );

const scoped = (kind: string, scope: string): string =>
  resourcePolicy(kind, "- { actions: [view], effect: EFFECT_ALLOW, roles: [user] }", `  scope: ${scope}\n`);

describe("a bundle", () => {
  it("holds one text for all units of one shape", () => {
    const bundle = bundleOf(
      policy("one", "user", 5),
      policy("two", "manager", 7),
      resourcePolicy("three", "- { actions: [view], effect: EFFECT_ALLOW, roles: [user] }"),
    );
    expect(Object.keys(bundle.shapes)).toHaveLength(2);
    expect(bundle.units.map((unit) => unit.id)).toEqual(["resource one@default", "resource three@default", "resource two@default"]);
    expect(bundle.units[0]?.shape).toBe(bundle.units[2]?.shape);
    expect(bundle.units[0]?.digest).not.toBe(bundle.units[2]?.digest);
  });

  it("is the same bytes for the same files, in whatever order they come", () => {
    const texts = [policy("one", "user", 5), policy("two", "manager", 7)];
    expect(JSON.stringify(bundleOf(...texts))).toBe(JSON.stringify(bundleOf(...texts)));
    expect(bundleOf(texts[0] ?? "").manifest.digest).not.toBe(bundleOf(texts[1] ?? "").manifest.digest);
  });
});

describe("loading", () => {
  const counting = () => {
    const texts: string[] = [];
    return { texts, evaluate: (text: string): unknown => (texts.push(text), evaluateInThisRealm(text)) };
  };

  it("evaluates a shape when a unit of it is first asked, and once", () => {
    const { texts, evaluate } = counting();
    const loaded = load(bundleOf(policy("one", "user", 5), policy("two", "manager", 7)), evaluate);
    expect(texts).toHaveLength(0);
    expect(told(ask(loaded, ["user"], "one", ["view"], { R: { n: 4, state: "a" } }))).toEqual(["view: ALLOW by resource.one.vdefault"]);
    expect(told(ask(loaded, ["user"], "one", ["view"], { R: { n: 5, state: "a" } }))).toEqual(["view: DENY by resource.one.vdefault"]);
    expect(told(ask(loaded, ["manager"], "two", ["view"], { R: { n: 6, state: "b" } }))).toEqual(["view: ALLOW by resource.two.vdefault"]);
    expect(texts).toHaveLength(1);
  });

  it("takes what did not change from the set before", () => {
    const { texts, evaluate } = counting();
    const before = load(bundleOf(policy("one", "user", 5), policy("two", "manager", 7)), evaluate);
    ask(before, ["user"], "one", ["view"]);
    const after = load(bundleOf(policy("one", "user", 5), policy("two", "manager", 8)), evaluate, before);
    const kept = [...after.units.keys()].filter((id) => before.units.get(id) === after.units.get(id));
    expect(kept).toEqual(["resource one@default"]);
    expect(told(ask(after, ["manager"], "two", ["view"], { R: { n: 7.5, state: "a" } }))).toEqual(["view: ALLOW by resource.two.vdefault"]);
    expect(told(ask(before, ["manager"], "two", ["view"], { R: { n: 7.5, state: "a" } }))).toEqual(["view: DENY by resource.two.vdefault"]);
    expect(texts).toHaveLength(1);
  });

  it.each([
    ["without that unit", []],
    ["with it", bundleOf(policy("one", "user", 5)).units],
  ])("does not take a unit from another set whose text only claims the digest: %s", (_, units) => {
    const bundle = bundleOf(policy("one", "user", 5));
    const [digest = ""] = Object.keys(bundle.shapes);
    const before = load({ ...bundle, shapes: { [digest]: "(rt, k) => ({ scopes: [] })" }, units }, evaluateInThisRealm);
    const after = load(bundle, evaluateInThisRealm, before);
    expect(told(ask(after, ["user"], "one", ["view"], { R: { n: 1, state: "a" } }))).toEqual(["view: ALLOW by resource.one.vdefault"]);
  });

  it("refuses a bundle that lacks a shape, and a text that is no factory", () => {
    const bundle = bundleOf(policy("one", "user", 5));
    expect(() => load({ ...bundle, shapes: {} }, evaluateInThisRealm)).toThrow(/shape/);
    expect(() =>
      ask(
        load(bundle, () => 5),
        ["user"],
        "one",
        ["view"],
      ),
    ).toThrow(/factory/);
  });
});

describe("loading little by little", () => {
  const [one] = bundleOf(policy("one", "user", 5)).units;
  const named = (unit: typeof one, number: number) => {
    const name = `kind_${String(number).padStart(4, "0")}`;
    return unit === undefined ? [] : [{ ...unit, id: `resource ${name}@default`, name, writtenName: name }];
  };
  const bundle = bundleOf(policy("one", "user", 5));
  const many = { ...bundle, units: Array.from({ length: 1000 }, (_, number) => named(one, number)).flat() };

  it("has no step that looks at more units than some hundred, and gives what loading at once gives", () => {
    const steps = loadInSteps(many, evaluateInThisRealm);
    let count = 0;
    for (;;) {
      const step = steps.next();
      if (step.done !== true) {
        count++;
        continue;
      }
      expect([...step.value.units.keys()]).toEqual([...load(many, evaluateInThisRealm).units.keys()]);
      expect(told(ask(step.value, ["user"], "kind_0999", ["view"], { R: { n: 4, state: "a" } }))).toEqual([
        "view: ALLOW by resource.kind_0999.vdefault",
      ]);
      break;
    }
    expect(count).toBeGreaterThanOrEqual(1000 / 256);
  });

  it("takes the last of units that have one id", () => {
    const [first, second] = [bundleOf(policy("one", "user", 5)), bundleOf(policy("one", "user", 9))];
    const loaded = load({ ...first, units: [...first.units, ...second.units] }, evaluateInThisRealm);
    expect(told(ask(loaded, ["user"], "one", ["view"], { R: { n: 7, state: "a" } }))).toEqual(["view: ALLOW by resource.one.vdefault"]);
    expect(loaded.index.resource.scopes.all.get("")).toBe(1);
  });
});

describe("a change", () => {
  const first = bundleOf(policy("one", "user", 5), policy("two", "manager", 7), scoped("three", ""), scoped("three", "acme"));
  const second = bundleOf(
    policy("one", "user", 5),
    policy("two", "manager", 8),
    resourcePolicy("four", "- { actions: [view], effect: EFFECT_DENY, roles: [user] }"),
  );
  const before = load(first, evaluateInThisRealm);

  it("gives what loading the whole gives, and leaves the set before as it was", () => {
    const whole = load(second, evaluateInThisRealm);
    const after = change(bundleChange(first, second), evaluateInThisRealm, before);
    for (const [kind, scope] of [["one"], ["two"], ["three", "acme"], ["four"], ["one", "acme"]] as const) {
      const asked = { R: { n: 7.5, state: "a" }, input: { resource: { kind, id: "1", scope: scope ?? "", attr: { n: 7.5, state: "a" } } } };
      expect(told(ask(after, ["user", "manager"], kind, ["view"], asked))).toEqual(
        told(ask(whole, ["user", "manager"], kind, ["view"], asked)),
      );
    }
    expect([...after.units.keys()].toSorted()).toEqual([...whole.units.keys()].toSorted());
    expect([...after.shapes.keys()].toSorted()).toEqual([...whole.shapes.keys()].toSorted());
    expect(after.manifest).toEqual(second.manifest);
    expect(after.units.get("resource one@default")).toBe(before.units.get("resource one@default"));
    expect(before.units.has("resource three@default")).toBe(true);
  });

  it("there and back again is the same set", () => {
    const there = change(bundleChange(first, second), evaluateInThisRealm, before);
    const back = change(bundleChange(second, first), evaluateInThisRealm, there);
    expect([...back.index.resource.scopes.all]).toEqual([...before.index.resource.scopes.all]);
    expect([...back.units.keys()].toSorted()).toEqual([...before.units.keys()].toSorted());
    expect(Object.fromEntries(back.uses)).toEqual(Object.fromEntries(before.uses));
    expect([...back.shapes.keys()].toSorted()).toEqual([...before.shapes.keys()].toSorted());
  });

  it("may add a unit whose shape only one other has", () => {
    const [few, more] = [bundleOf(policy("one", "user", 5)), bundleOf(policy("one", "user", 5), policy("two", "manager", 7))];
    const after = change(bundleChange(few, more), evaluateInThisRealm, load(few, evaluateInThisRealm));
    expect(told(ask(after, ["manager"], "two", ["view"], { R: { n: 6, state: "a" } }))).toEqual(["view: ALLOW by resource.two.vdefault"]);
  });

  it("builds on the set that it was made for, and on no other", () => {
    expect(() => change(bundleChange(second, first), evaluateInThisRealm, before)).toThrow(/builds on/);
    expect(() => change({ ...bundleChange(first, second), shapes: {} }, evaluateInThisRealm, before)).toThrow(/shape/);
  });
});

describe("what a bundle stores comes back", () => {
  it.each<[Value, ConstantValue]>([
    [null, null],
    [true, true],
    ["a\u2028", "a\u2028"],
    [1.5, 1.5],
    [-0, { double: "-0" }],
    [Number.NaN, { double: "NaN" }],
    [Number.NEGATIVE_INFINITY, { double: "-Infinity" }],
    [9007199254740993n, { int: "9007199254740993" }],
    [-1n, { int: "-1" }],
    [new Uint(2n ** 64n - 1n), { uint: "18446744073709551615" }],
    [Uint8Array.of(0, 255, 16), { bytes: "00ff10" }],
    [
      [1, [2n]],
      [1, [{ int: "2" }]],
    ],
    [
      JSON.parse(`{"__proto__":{"a":1},"int":"x"}`),
      {
        object: [
          ["__proto__", { object: [["a", 1]] }],
          ["int", "x"],
        ],
      },
    ],
  ])("constant %s", (value, stored) => {
    expect(writeConstant(value)).toEqual(stored);
    const read = readConstant(JSON.parse(JSON.stringify(stored)));
    expect(writeConstant(read)).toEqual(stored);
    if (typeof value === "number") expect(Object.is(read, value)).toBe(true);
  });

  it("keeps an object's hostile keys its own", () => {
    const read = readConstant({ object: [["__proto__", { object: [["polluted", true]] }]] }) as { readonly [key: string]: unknown };
    expect(Object.keys(read)).toEqual(["__proto__"]);
    expect(read["polluted"]).toBeUndefined();
  });

  it.each([...checkedExpressions, ...namedExpressions, ...uncheckedExpressions])("tree of %s", (text) => {
    const { tree } = parse(text);
    if (tree === undefined) throw new Error(text);
    const places: number[] = [];
    const written = JSON.stringify(writeTree(tree, places));
    expect(bare(readTree(JSON.parse(written), places))).toEqual(bare(tree));
  });

  it.each(guessedExpressions)("checked tree of %s", (text) => {
    const parsed = parse(text);
    if (parsed.tree === undefined) throw new Error(text);
    const { tree } = check(parsed.tree, policyEnvironment);
    const places: number[] = [];
    const written = JSON.stringify(writeTree(tree, places));
    expect(bare(readTree(JSON.parse(written), places))).toEqual(bare(tree));
  });
});

/** A tree without ids and the spelling of macros, which the interpreter does not ask for. */
function bare(tree: Expression): unknown {
  return JSON.parse(
    JSON.stringify(tree, (key, value: unknown) => {
      if (key === "id" || key === "macroName") return undefined;
      if (typeof value === "bigint") return `${value}n`;
      return typeof value === "number" && (Object.is(value, -0) || !Number.isFinite(value))
        ? `${Object.is(value, -0) ? "-0" : value}`
        : value;
    }),
  );
}
