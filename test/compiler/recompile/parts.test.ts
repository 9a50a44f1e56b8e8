/** Which units a change emits again: those that it is about, and no others. */
import { expect, test } from "vitest";
import { compile } from "../../../compiler/index.ts";
import { openCompileCache } from "../../../compiler/cache.ts";
import type { Source } from "../../../compiler/source.ts";
import { resource, role, when } from "../link/harness.ts";
import { apply, openFiles, start, type Edit } from "./changes.ts";
import { digest, follow } from "./harness.ts";

const put = (path: string, state = 0): Edit => ({ kind: "set", path, state });
const remove = (path: string): Edit => ({ kind: "remove", path });
const swap = (...paths: readonly [string, string]): Edit => ({ kind: "swap", paths });

test.each<readonly [sentence: string, before: readonly Edit[], edits: readonly Edit[], emitted: readonly string[]]>([
  ["a resource policy in no scope comes", [remove("a_v2.yaml")], [put("a_v2.yaml")], ["resource a@2"]],
  ["it goes", [], [remove("a_v2.yaml")], []],
  ["a policy comes below all others", [remove("a_s_t_u.yaml")], [put("a_s_t_u.yaml")], ["resource a@default"]],
  ["it goes", [], [remove("a_s_t_u.yaml")], ["resource a@default"]],
  ["one comes between others", [remove("a_s.yaml")], [put("a_s.yaml", 2)], ["resource a@default"]],
  ["it goes, where a role policy makes up for it", [], [remove("a_s.yaml")], ["resource a@default"]],
  ["the root comes, whose schemas count for all", [remove("a.yaml")], [put("a.yaml", 2)], ["resource a@default"]],
  [
    "a policy comes that is called as another one is, but for its spelling",
    [remove("b_s.yaml")],
    [put("b_s.yaml")],
    ["resource b_b@default"],
  ],
  ["derived roles come that nobody imports", [remove("e.yaml")], [put("e.yaml")], []],
  ["they go", [], [remove("e.yaml")], []],
  [
    "derived roles come, with who imports them",
    [remove("e.yaml"), remove("e_user.yaml")],
    [put("e.yaml", 1), put("e_user.yaml", 1)],
    ["resource e@default"],
  ],
  ["derived roles are imported that nobody did", [put("e.yaml", 1)], [put("e_user.yaml", 1)], ["resource e@default"]],
  ["what derived roles import changes", [], [put("v.yaml", 1)], ["principal an-n@default", "resource b_b@default"]],
  ["constants come that nobody imports", [remove("c.yaml")], [put("c.yaml")], []],
  ["constants go that nobody imports", [], [remove("c.yaml")], []],
  ["constants change that somebody imports", [put("a.yaml", 1)], [put("c.yaml", 1)], ["resource a@default"]],
  ["a principal policy comes", [remove("p_s.yaml")], [put("p_s.yaml")], ["principal an_n@default"]],
  ["it goes", [], [remove("p_s.yaml")], []],
  ["a role policy comes", [remove("r.yaml")], [put("r.yaml")], ["role clerk@default"]],
  ["it goes", [], [remove("r.yaml")], []],
  ["a role narrows another one", [], [put("r.yaml", 1)], ["role clerk@default"]],
  ["a role policy goes that makes up for nothing", [], [remove("r_s.yaml")], []],
  ["a role policy that warned of its version is disabled, and warns no more", [], [put("r_s.yaml", 6)], []],
  [
    "a policy changes that imports what a role policy imports that makes up for its parent",
    [remove("a_s.yaml"), put("r_s.yaml", 7)],
    [put("a_s_t.yaml", 1)],
    ["resource a@default"],
  ],
  [
    "a policy that did not change warns no more, since derived roles that it imports have other parents",
    [put("a.yaml", 5)],
    [put("d.yaml", 1)],
    ["resource a@default", "resource b_b@default"],
  ],
  ["a policy is disabled", [], [put("a_s.yaml", 3)], ["resource a@default"]],
  ["a policy is enabled", [put("a_s.yaml", 3)], [put("a_s.yaml")], ["resource a@default"]],
  ["a policy gets another name", [], [put("r.yaml", 2)], ["role other@default"]],
  ["a policy becomes one of another scope", [], [put("a_s_t_u.yaml", 1)], ["resource a@default"]],
  ["two policies are each in the other's file", [], [swap("a_v2.yaml", "e_user.yaml")], ["resource a@2", "resource e@default"]],
  [
    "all policies of a scope need consent now",
    [],
    [{ kind: "consent" }],
    ["principal an_n@default", "resource a@default", "resource b_b@default"],
  ],
  [
    "a file without a policy comes",
    [put("a_s_t_u.yaml", 1), remove("w.yaml")],
    [put("a_s_t_u.yaml", 2), put("w.yaml")],
    ["resource a@default"],
  ],
  [
    "some come, some change and some go at once",
    [remove("a_v2.yaml"), remove("c.yaml")],
    [put("a_v2.yaml"), put("c.yaml"), put("e_user.yaml", 0), put("a_s.yaml", 1), remove("r.yaml"), remove("p_s.yaml")],
    ["resource a@2", "resource a@default"],
  ],
])("%s", (_, before, edits, emitted) => {
  const sourcesOf = openFiles();
  const { next } = follow();
  const first = apply(start, before);
  expect(next(sourcesOf(first, 0)).compilation.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const after = next(sourcesOf(apply(first, edits), 3));
  expect(after.compilation.compiled).toBeDefined();
  expect([after.isPart, after.emitted]).toEqual([true, emitted]);
  // And back, where nothing is known any more of what was.
  expect(next(sourcesOf(first, 5)).isPart).toBe(true);
});

test.each<readonly [sentence: string, before: readonly Edit[], edits: readonly Edit[]]>([
  ["a policy goes that another one needs above it", [], [remove("a_s_t.yaml")]],
  ["a role policy goes that made up for one that is missing", [remove("a_s.yaml")], [remove("r_s.yaml")]],
  ["that role policy is about something else", [remove("a_s.yaml")], [put("r_s.yaml", 1)]],
  ["that role policy is of another scope", [remove("a_s.yaml")], [put("r_s.yaml", 3)]],
  ["that role policy has only another of its rules left", [put("r_s.yaml", 4), remove("a_s.yaml")], [put("r_s.yaml", 5)]],
  ["derived roles go that somebody imports", [], [remove("d.yaml")]],
  ["derived roles go that a rule names", [], [put("d.yaml", 2)]],
  ["derived roles are imported that are right only as long as nobody does", [], [put("e_user.yaml", 1)]],
  ["variables go that derived roles import", [], [remove("v.yaml")]],
  ["a policy comes that is there already", [], [put("w.yaml", 1)]],
  ["a policy comes that says something else of its parents than the others of its scope", [], [{ kind: "consent" }, put("a_s.yaml", 4)]],
  ["a file cannot be read", [], [put("a.yaml", 4)]],
])("where %s nothing is made, and what changes next is compared with the last good set", (_, before, edits) => {
  const sourcesOf = openFiles();
  const { next, cache } = follow();
  const first = apply(start, before);
  const good = next(sourcesOf(first, 0)).compilation.compiled;
  expect(good).toBeDefined();
  const known = cache.last.compiled;
  expect(next(sourcesOf(apply(first, edits), 0)).compilation.compiled).toBeUndefined();
  expect(cache.last.compiled).toBe(known);
  // Mended in another file too.
  const after = next(sourcesOf(apply(first, [put("a_v2.yaml"), remove("r.yaml")]), 0));
  expect([after.isPart, after.emitted]).toEqual([true, []]);
  expect(after.compilation.compiled?.bundle.units).toEqual(good?.bundle.units.filter(({ id }) => id !== "role clerk@default"));
});

const some = (count: number, expression: string): readonly Source[] =>
  Array.from({ length: count }, (_, number) => ({ path: `${number}.yaml`, text: resource(when(expression), `r${number}`) }));

test.each<readonly [sentence: string, changed: number, of: number, isPart: boolean]>([
  ["a few policies of many", 3, 300, true],
  ["many policies", 150, 300, true],
  ["very many policies", 250, 300, false],
  ["all policies but one", 299, 300, false],
  ["nearly all of few", 9, 10, true],
])("%s at once: is it compiled in part?", (_, changed, of, isPart) => {
  const { next } = follow();
  const before = some(of, "R.attr.n > 1.0");
  next(before);
  expect(next([...some(changed, "R.attr.n > 2.0"), ...before.slice(changed)]).isPart).toBe(isPart);
  expect(next(before.slice(changed)).isPart).toBe(isPart);
});

test("where two files have one path a change is compiled as a whole", () => {
  const { next } = follow();
  const [first, ...others] = some(4, "R.attr.n > 1.0");
  const empty: Source = { path: "0.yaml", text: "" };
  const all = first === undefined ? [] : [first, empty, ...others];
  next(others);
  expect(next(all).isPart).toBe(false);
  expect(next(all.slice(0, -1)).isPart).toBe(false);
  expect(next(others).isPart).toBe(false);
  expect(next(others.slice(1)).isPart).toBe(true);
  // One file that is listed twice defines its policy twice.
  expect(next([...others, ...others.slice(0, 1)]).compilation.compiled).toBeUndefined();
});

test("a root comes whose schemas count for a policy so deep below it that nobody else leads there", () => {
  const { next } = follow();
  const scopes = Array.from({ length: 258 }, (_, depth) => Array.from({ length: depth + 1 }, () => "x").join("."));
  const deep = scopes.pop() ?? "";
  // Role policies make up for all that would be between.
  const roles = scopes.map((name): Source => ({
    path: `${name.length}.yaml`,
    text: role(`  scope: ${name}\n  rules: [{resource: a, allowActions: [x]}]\n`),
  }));
  const below: Source = { path: "deep.yaml", text: resource(`  scope: ${deep}\n  schemas: {resourceSchema: {ref: deep.json}}\n`) };
  const root: Source = { path: "root.yaml", text: resource("  schemas: {resourceSchema: {ref: root.json}}\n") };
  next([...roles, below]);
  const { compilation, isPart, emitted } = next([...roles, below, root]);
  const unit = compilation.compiled?.bundle.units.find(({ type }) => type === "resource");
  expect(unit?.scopes.map(({ schemas }) => schemas?.resource?.ref)).toEqual(["root.json", "root.json"]);
  expect([isPart, emitted]).toEqual([true, ["resource a@default"]]);
});

test("what was compiled in another way is not taken for a part", () => {
  const cache = openCompileCache();
  const all = some(3, 'R.attr.n > 1.0 && R.attr.s in ["a", "b"]');
  const forms = new Set<never>();
  const other = (text: string): string => digest(`other ${text}`);
  const bundles = [{ digest }, { digest, forms }, { digest: other, forms }, { digest: other }].map((options) => {
    const afresh = compile(all, options).compiled?.bundle;
    expect(compile(all.slice(1), { ...options, cache }).compiled?.bundle).toEqual(compile(all.slice(1), options).compiled?.bundle);
    expect(compile(all, { ...options, cache }).compiled?.bundle).toEqual(afresh);
    return JSON.stringify(afresh);
  });
  // Else this would be about nothing.
  expect(new Set(bundles.filter((bundle) => bundle !== undefined)).size).toBe(4);
});

test("policies that say the same are known to, however much was read between them", () => {
  const [first, second] = ["", "s"].map((scope): Source => ({
    path: `a_${scope}.yaml`,
    text: resource(`  scope: "${scope}"\n${when('R.attr.x in ["p", "q"]')}`),
  }));
  if (first === undefined || second === undefined) throw new Error("two");
  // More than is kept of expressions that were parsed.
  const others = some(300, "R.attr.x").map(({ path, text }) => ({
    path,
    text: text.replace("R.attr.x", `R.attr.x == "${path.repeat(130)}"`),
  }));
  const afresh = compile([first, second, ...others], { digest }).compiled?.bundle;
  expect(compile([first, ...others, second], { digest }).compiled?.bundle).toEqual(afresh);
  const { next } = follow();
  next([first, ...others]);
  expect(next([first, ...others, second]).compilation.compiled?.bundle).toEqual(afresh);
});

test("derived roles stay the same ones for a whole unit, though a set that did not compile had linked them anew", () => {
  const sourcesOf = openFiles();
  const { next } = follow();
  next(sourcesOf(start, 0));
  expect(next(sourcesOf(apply(start, [put("v.yaml", 1), put("a.yaml", 4)]), 0)).compilation.compiled).toBeUndefined();
  expect(next(sourcesOf(apply(start, [put("b_s.yaml", 2)]), 0)).emitted).toEqual(["resource b_b@default"]);
});

test("derived roles that changed while nobody imported them are linked anew for who imports them again", () => {
  const sourcesOf = openFiles();
  const { next } = follow();
  next(sourcesOf(apply(start, [put("e.yaml", 1), put("e_user.yaml", 1)]), 0));
  expect(next(sourcesOf(apply(start, [put("e.yaml", 1)]), 0)).isPart).toBe(true);
  expect(next(sourcesOf(apply(start, [put("e.yaml", 2)]), 0)).isPart).toBe(true);
  // `next` compares with what is compiled afresh.
  expect(next(sourcesOf(apply(start, [put("e.yaml", 2), put("e_user.yaml", 1)]), 0)).emitted).toEqual(["resource e@default"]);
});
