/** Linking again after a change: what did not change is the same object, and everything means what it means when linked afresh. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Diagnostic } from "../../../compiler/diagnostic.ts";
import { link } from "../../../compiler/link/link.ts";
import { openLinkCache } from "../../../compiler/link/cache.ts";
import type { PolicySet } from "../../../compiler/link/policy-set.ts";
import type { PolicyDocument } from "../../../compiler/policy/document.ts";
import { readPolicy } from "../../../compiler/policy/read.ts";
import { printDiagnostics } from "../../../compiler/print-diagnostics.ts";
import { constants, principal, resource, role, roles, variables, when } from "./harness.ts";

function read(path: string, text: string): PolicyDocument {
  const document = readPolicy({ path, text }, () => undefined);
  if (document === undefined) throw new Error(`${path} holds no policy`);
  return document;
}

// States of each file, the first two without mistakes as long as the others have none: what one means depends on the others.
const states: { readonly [path: string]: readonly string[] } = {
  "a.yaml": [
    resource(when("V.i && C.k > 1.0", "  importDerivedRoles: [d]\n  variables: {import: [v]}\n  constants: {import: [c]}\n")),
    resource(when("V.i", "  variables: {import: [v]}\n  schemas: {resourceSchema: {ref: x.json}}\n")),
    resource(when("V.gone", "  variables: {import: [v]}\n")),
    resource("  scopePermissions: 2\n"),
  ],
  "b.yaml": [
    resource("  scope: s\n  importDerivedRoles: [d]\n  rules: [{actions: [x], derivedRoles: [o], effect: EFFECT_ALLOW}]\n"),
    resource("  scope: s\n"),
    resource("  scope: s.t\n"),
    resource("  scope: s\n").replace("resourcePolicy", "disabled: true\nresourcePolicy"),
  ],
  "c.yaml": [constants("c", "k: 1"), constants("c", "k: 2, more: 3"), constants("other", "k: 2")],
  "d.yaml": [
    roles("d", "{name: o, parentRoles: [u], condition: {match: {expr: V.i}}}").replace(
      "  name: d\n",
      "  name: d\n  variables: {import: [v]}\n",
    ),
    roles("d", "{name: o, parentRoles: [w]}, {name: p, parentRoles: [u]}"),
    roles("d", "{name: p, parentRoles: [u]}"),
  ],
  "p.yaml": [
    principal("  variables: {import: [v]}\n  rules: [{resource: k, actions: [{action: x, effect: EFFECT_DENY, output: {expr: V.i}}]}]\n"),
    principal(""),
    principal("  scopePermissions: 2\n"),
  ],
  "r.yaml": [
    role("  rules: [{resource: a, allowActions: [x]}]\n"),
    role("  rules: [{resource: a, allowActions: [y]}]\n"),
    role("  scope: s\n  rules: [{resource: a, allowActions: [x]}]\n"),
  ],
  "v.yaml": [variables("v", "i: R.attr.x == P.id"), variables("v", "i: 'true'"), variables("v", "i: 'true', j: V.i && V.lost")],
};

const policiesOf = (set: PolicySet) => [...set.resourcePolicies, ...set.principalPolicies, ...set.rolePolicies];

/** All that can be told of a set, without the sources that spans carry along. */
const told = (set: PolicySet): string =>
  JSON.stringify(set, (name: string, value: unknown) => (name === "span" ? undefined : typeof value === "bigint" ? `${value}n` : value), 1);

function linkWith(documents: readonly PolicyDocument[], cache = openLinkCache()): { readonly set: PolicySet; readonly printed: string } {
  const diagnostics: Diagnostic[] = [];
  const set = link(documents, (diagnostic) => void diagnostics.push(diagnostic), cache);
  return { set, printed: printDiagnostics(diagnostics) };
}

test("a set linked again, after whatever changes, is the set linked afresh", () => {
  const paths = Object.keys(states);
  const known = new Map(Object.entries(states).map(([path, texts]) => [path, texts.map((text) => read(path, text))] as const));
  const stateOf = fc.array(fc.constantFrom(0, 0, 0, 1, 1, 1, 2, 3), { minLength: paths.length, maxLength: paths.length });
  fc.assert(
    fc.property(fc.array(stateOf, { minLength: 2, maxLength: 8 }), (history) => {
      const cache = openLinkCache();
      for (const state of history) {
        const documents = paths.flatMap((path, index) => known.get(path)?.[state[index] ?? 0] ?? []);
        const [again, afresh] = [linkWith(documents, cache), linkWith(documents)];
        expect(again.printed).toBe(afresh.printed);
        expect(told(again.set)).toBe(told(afresh.set));
      }
    }),
    { numRuns: 120 },
  );
});

test("only what is made from something new is linked again", () => {
  const first = Object.entries(states).map(([path, [text = ""]]) => read(path, text));
  const cache = openLinkCache();
  const before = linkWith(first, cache).set;
  const keysLinkedAgain = (changed: string, text = states[changed]?.[0] ?? ""): readonly string[] => {
    const after = linkWith(
      first.map((document) => (document.source.path === changed ? read(changed, text) : document)),
      cache,
    ).set;
    return policiesOf(after)
      .filter((policy) => !policiesOf(before).includes(policy))
      .map(({ key }) => key);
  };
  expect(linkWith(first, cache).printed).toBe("");
  expect(keysLinkedAgain("p.yaml")).toEqual(["principal.ann.vdefault"]);
  expect(keysLinkedAgain("r.yaml")).toEqual(["role.clerk.vdefault"]);
  expect(keysLinkedAgain("c.yaml")).toEqual(["resource.a.vdefault"]);
  expect(keysLinkedAgain("d.yaml")).toEqual(["resource.a.vdefault", "resource.a.vdefault/s"]);
  // The root is what its descendants have their schemas from.
  expect(keysLinkedAgain("a.yaml")).toEqual(["resource.a.vdefault", "resource.a.vdefault/s"]);
  expect(keysLinkedAgain("v.yaml")).toEqual(["resource.a.vdefault", "resource.a.vdefault/s", "principal.ann.vdefault"]);
});
