/** Stores that nobody should have: each gets its diagnostics, in time and memory little over linear in its length. */
import { describe, expect, test } from "vitest";
import { limits } from "../../../compiler/yaml/limits.ts";
import { linked, principal, resource, role, variables, when, type Files } from "./harness.ts";

const scopeOf = (depth: number): string => Array.from({ length: depth }, (_, index) => `s${index}`).join(".");

describe("a chain of scopes 100 deep", () => {
  const chain: Files = Object.fromEntries(
    Array.from({ length: 101 }, (_, depth) => [
      `${String(depth).padStart(3, "0")}.yaml`,
      resource(depth === 0 ? "" : `  scope: ${scopeOf(depth)}\n`),
    ]),
  );

  test("is a chain like any other", () => {
    const { set, problems } = linked(chain);
    expect(problems).toEqual([]);
    expect(set.resourcePolicies.at(-1)?.scope).toBe(scopeOf(100));
  });

  test("with one missing has one mistake, which all below share", () => {
    const { "050.yaml": _, ...others } = chain;
    const { diagnostics } = linked(others);
    expect(diagnostics.map(({ code, source }) => `${source?.path} ${code}`)).toEqual(["051.yaml missing-ancestor"]);
    expect(diagnostics[0]?.message).toMatch(/and so do 49 more$/);
  });

  test("with nobody above has 100 mistakes", () => {
    expect(linked({ "a.yaml": resource(`  scope: ${scopeOf(100)}\n`) }).problems).toHaveLength(100);
  });
});

test("a scope of a hundred thousand segments is looked at as far as trees go", () => {
  const { diagnostics } = linked({
    "a.yaml": principal(`  scope: ${"a.".repeat(100_000)}a\n`),
    "r.yaml": role(`  scope: ${"a.".repeat(100_000)}a\n`),
  });
  expect(new Set(diagnostics.map(({ code }) => code))).toEqual(new Set(["missing-ancestor"]));
  expect(diagnostics.length).toBeLessThan(1000);
});

test("a circle through the variables of three files is one mistake", () => {
  const { diagnostics, problems } = linked({
    "a.yaml": resource(when("V.x", "  variables: {import: [v, w], local: {x: V.y}}\n")),
    "v.yaml": variables("v", "y: V.z"),
    "w.yaml": variables("w", "z: V.x"),
  });
  expect(problems).toEqual(["a.yaml 5:42 variable-cycle"]);
  expect(diagnostics[0]?.notes?.map(({ span }) => span.source.path)).toEqual(["v.yaml", "w.yaml"]);
});

test("sets cannot import each other", () => {
  const { problems } = linked({ "v.yaml": variables("v", "y: '1'").replace("  name: v\n", "  name: v\n  import: [v]\n") });
  expect(problems).toEqual(["v.yaml 4:3 unknown-field"]);
});

test("two files with the same policy are both named", () => {
  const { printed } = linked({ "x/b.yaml": resource(""), "a.yaml": resource("") });
  expect(printed).toContain("x/b.yaml:1:11: error duplicate-policy: the policy `resource.a.vdefault` is already defined in `a.yaml`");
  expect(printed).toContain("note: a.yaml:3:3: first defined here");
});

describe("a file that is too much", () => {
  const wide = (count: number): string => Array.from({ length: count }, (_, index) => `"k${index}": *bomb`).join(", ");
  // oxfmt-ignore
  test.each([
    ["of 10 MB",               () => resource(`  rules: [\n${"    {actions: [a], roles: [b], effect: EFFECT_ALLOW},\n".repeat(200_000)}]\n`)],
    ["of 10 MB in one scalar", () => resource("").replace("resource: a", `resource: ${"a".repeat(10_000_000)}`)],
    ["deeper than the stack",  () => resource(`  constants: {local: {x: ${"[".repeat(50_000)}${"]".repeat(50_000)}}}\n`)],
    ["mappings deeper than the stack", () => `${Array.from({ length: 2500 }, (_, level) => `${" ".repeat(level)}a:\n`).join("")}${" ".repeat(2500)}b: c\n`],
    ["lists deeper than the stack",    () => `a:\n  ${"- ".repeat(200_000)}b\n`],
    ["brackets that nobody closes",    () => `a: ${"[".repeat(200_000)}`],
    ["an alias bomb",          () => resource(`  constants:\n    local:\n      a: &a0 [x, x, x, x, x, x, x, x, x]\n${Array.from({ length: 20 }, (_, index) => `      b${index}: &a${index + 1} [${`*a${index}, `.repeat(9)}]\n`).join("")}`)],
    ["a bomb of mappings",     () => resource(`  constants:\n    local:\n      a: &bomb {${Array.from({ length: 2000 }, (_, index) => `"x${index}": 1`).join(", ")}}\n      b: {${wide(2000)}}\n`)],
    ["a bomb of merges",       () => resource(`  constants:\n    local:\n      a: &bomb {${Array.from({ length: 1000 }, (_, index) => `"x${index}": 1`).join(", ")}}\n${Array.from({ length: 1000 }, (_, index) => `      c${index}: {<<: *bomb}\n`).join("")}`)],
  ])("%s", (_, text) => {
    const { problems } = linked({ "a.yaml": text(), "b.yaml": resource("", "b") });
    expect(problems.map((problem) => problem.split(" ")[2])).toEqual(["yaml-too-large"]);
  });

  test("of the greatest length that is allowed is read, and all its mistakes found", () => {
    const rule = "    - {actions: [a], roles: [b], effect: EFFECT_ALLOW, output: {}}\n";
    const count = Math.floor((limits.length - 200) / rule.length / 32);
    expect(linked({ "a.yaml": resource(`  rules:\n${rule.repeat(count)}`) }).problems).toHaveLength(count);
  });
});

test("thousands of policies that all lack the same are reported in linear time", () => {
  const files = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [
      `${index}.yaml`,
      resource(when("V.x", "  variables: {import: [vars]}\n  scope: t\n"), `k${index}`),
    ]),
  );
  expect(linked(files).problems).toHaveLength(600);
});
