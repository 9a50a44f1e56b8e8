/** Compiling a changed set with a memory gives what compiling it afresh gives: the same bytes, the same diagnostics. */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { compile, type Compilation } from "../../../compiler/index.ts";
import { openCompileCache, type CompileCache } from "../../../compiler/cache.ts";
import { printDiagnostic } from "../../../compiler/print-diagnostics.ts";
import type { Source } from "../../../compiler/source.ts";
import { accepts, sourcesOf } from "../../agree/judge.ts";
import { makePolicies } from "../../agree/policies.ts";
import { openRandom, type Random } from "../../agree/random.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

const readable = ({ diagnostics, compiled }: Compilation) => ({
  diagnostics: diagnostics.map(printDiagnostic),
  bundle: compiled?.bundle,
  table: JSON.stringify(compiled?.table.units.map(({ id, scopes }) => [id, scopes.map(({ key, rows }) => [key, rows.length])])),
});

function expectTheSame(sources: readonly Source[], cache: CompileCache): Compilation {
  const again = compile(sources, { digest, cache });
  expect(readable(again)).toEqual(readable(compile(sources, { digest })));
  return again;
}

const source = (path: string, text: string): Source => ({ path, text });

const resource = (name: string, more = "", scope = ""): string =>
  `apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: ${name}\n  version: default\n  scope: "${scope}"\n${more}  rules:\n    - actions: [view]\n      effect: EFFECT_ALLOW\n      roles: [user]\n      condition: { match: { expr: "V.limit > 1.0" } }\n`;
const importing = "  variables: { import: [common] }\n";
const exported = (expression: string, name = "limit"): string =>
  `apiVersion: api.authz.dev/v1\nexportVariables:\n  name: common\n  definitions:\n    ${name}: ${expression}\n`;

const start: readonly Source[] = [
  source("a.yaml", resource("a", importing)),
  source("a_acme.yaml", resource("a", importing, "acme")),
  source("b.yaml", resource("b", importing)),
  source("c.yaml", resource("c", "  variables: { local: { limit: R.attr.n } }\n")),
  source("common.yaml", exported("R.attr.limit")),
];

it.each<readonly [change: string, edit: (sources: readonly Source[]) => readonly Source[], compiles: boolean]>([
  ["nothing", (all) => all, true],
  ["a rule", (all) => all.with(2, source("b.yaml", resource("b", importing).replace("view", "edit"))), true],
  ["a rule of an ancestor", (all) => all.with(0, source("a.yaml", resource("a", importing).replace("1.0", "2.0"))), true],
  ["a variable that others import", (all) => all.with(4, source("common.yaml", exported("P.attr.limit"))), true],
  ["a variable's name that others import", (all) => all.with(4, source("common.yaml", exported("P.attr.limit", "other"))), false],
  [
    "the schemas of the root",
    (all) => all.with(0, source("a.yaml", resource("a", `${importing}  schemas: { resourceSchema: { ref: "a.json" } }\n`))),
    true,
  ],
  ["a name", (all) => all.with(2, source("b.yaml", resource("d", importing))), true],
  ["a name that is another's", (all) => all.with(2, source("b.yaml", resource("c", importing))), false],
  ["a scope without a parent", (all) => all.with(2, source("b.yaml", resource("b", importing, "acme.hr"))), false],
  ["an import that is not there", (all) => all.with(2, source("b.yaml", resource("b", "  variables: { import: [nothing] }\n"))), false],
  [
    "a variable that nobody uses any more",
    (all) => all.with(3, source("c.yaml", resource("c", "  variables: { local: { limit: R.attr.n, idle: R.attr.m } }\n"))),
    true,
  ],
  ["a policy that is disabled", (all) => all.with(2, source("b.yaml", `disabled: true\n${resource("b", importing)}`)), true],
  ["a set that is disabled", (all) => all.with(4, source("common.yaml", `disabled: true\n${exported("R.attr.limit")}`)), false],
  ["a file that is broken", (all) => all.with(2, source("b.yaml", "resourcePolicy: [")), false],
  ["a file that is empty", (all) => all.with(2, source("b.yaml", "")), true],
  ["a file that is gone", (all) => all.toSpliced(2, 1), true],
  ["a file that is new", (all) => [...all, source("e.yaml", resource("e", importing))], true],
  [
    "permissions that fit no other policy of the scope",
    (all) =>
      all.with(
        0,
        source("a.yaml", resource("a", `${importing}  scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS\n`)),
      ),
    false,
  ],
])("when %s changes", (_change, edit, compiles) => {
  const cache = openCompileCache();
  expectTheSame(start, cache);
  const changed = edit(start);
  expect(expectTheSame(changed, cache).compiled !== undefined).toBe(compiles);
  // And back again, from a set that may be broken.
  expectTheSame(start, cache);
  expectTheSame(changed, cache);
});

it("a set that is linked again is the same for all policies of a unit, though some were not there meanwhile", () => {
  const cache = openCompileCache();
  const roles = `apiVersion: api.authz.dev/v1\nderivedRoles:\n  name: roles\n${importing}  definitions:\n    - { name: few, parentRoles: [user], condition: { match: { expr: "V.limit > 1.0" } } }\n`;
  const policy = (scope: string): string =>
    resource("a", "  importDerivedRoles: [roles]\n", scope).replace(/roles: \[user\][^]*$/, "derivedRoles: [few]\n");
  const common = source("common.yaml", exported("R.attr.limit"));
  const below = source("a_acme.yaml", policy("acme"));
  const others = [source("a.yaml", policy("")), source("roles.yaml", roles)];
  const whole = [...others, below, common];
  const first = expectTheSame(whole, cache);
  expectTheSame([...others, source("common.yaml", exported("P.attr.limit"))], cache);
  // The very files of before: what was linked of one of them is still known.
  expect(expectTheSame(whole, cache).compiled?.bundle).toEqual(first.compiled?.bundle);
  expect(first.compiled).toBeDefined();
});

it("a change inside one policy emits that unit alone", () => {
  const cache = openCompileCache();
  const before = compile(start, { digest, cache });
  const after = compile(start.with(2, source("b.yaml", resource("b", importing).replace("view", "edit"))), { digest, cache });
  const kept = (before.compiled?.modules ?? []).map((module, at) => module === after.compiled?.modules[at]);
  expect(kept).toEqual([true, false, true]);
});

it("random edits of random sets give what compiling afresh gives", () => {
  let whole = 0;
  for (let seed = 1; seed <= 6; seed++) {
    const random = openRandom(seed);
    const cache = openCompileCache();
    let sources = sourcesOf(makePolicies(random, accepts));
    const earlier: (readonly Source[])[] = [];
    for (let edit = 0; edit < 7; edit++) {
      if (expectTheSame(sources, cache).compiled !== undefined) whole++;
      earlier.push(sources);
      sources = random.chance(0.2) ? (earlier[random.whole(earlier.length)] ?? sources) : changeOne(sources, random);
    }
  }
  expect(whole).toBeGreaterThan(20);
});

/** Changes a word of one file, takes a file away, or doubles one. */
function changeOne(sources: readonly Source[], random: Random): readonly Source[] {
  const at = random.whole(sources.length);
  const chosen = sources[at];
  if (chosen === undefined) return sources;
  const replace = (from: string | RegExp, to: string): readonly Source[] =>
    sources.with(at, { ...chosen, text: chosen.text.replace(from, to) });
  return random.weigh<readonly Source[]>([
    [4, () => replace("EFFECT_ALLOW", "EFFECT_DENY")],
    [4, () => replace("EFFECT_DENY", "EFFECT_ALLOW")],
    [3, () => replace('"view"', '"look"')],
    [3, () => replace('"admin"', '"user"')],
    [2, () => replace("R.attr", "P.attr")],
    [1, () => replace(/"scope": "([^"]*)"/, '"scope": "other"')],
    [1, () => replace('"version": "', '"version": "1')],
    [1, () => sources.toSpliced(at, 1)],
    [1, () => [...sources, { ...chosen, path: `twin_${sources.length}.yaml` }]],
  ]);
}
