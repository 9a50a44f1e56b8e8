/** Indexes made from the one before, against indexes made afresh. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BundledScope } from "../../../runtime/bundle.ts";
import { editIndex, emptyIndex, type VersionedIndex } from "../../../runtime/decide/index-draft.ts";
import type { LoadedUnit } from "../../../runtime/decide/loaded-unit.ts";
import { indexUnits, type PolicyIndex, type TypeIndex } from "../../../runtime/decide/policy-index.ts";
import type { PolicyType } from "../../../runtime/decide/policy-name.ts";
import { byUnits } from "../../../runtime/order.ts";

const nobodyAsks = (): never => {
  throw new Error("an index asks no unit");
};

function unitOf(type: PolicyType, name: string, version: string, scopes: readonly string[], rows: number): LoadedUnit {
  const says = scopes.map((scope): BundledScope => ({
    scope,
    key: `${type}.${name}.v${version}/${scope}`,
    patterns: ["*"],
    rows: Array.from({ length: rows }, () => ({ actions: [], patterns: [0] })),
    parentRoles: type === "role" ? [`parent of ${name}@${version}`] : undefined,
    sourceAttributes: {},
  }));
  const [program, trees, policyIn] = [nobodyAsks, nobodyAsks, nobodyAsks];
  const id = `${type} ${name}@${version}`;
  return { id, type, name, writtenName: name, version, digest: "", shape: "", scopes: says, program, trees, policyIn };
}

const units = fc.record({
  type: fc.constantFrom<PolicyType>("resource", "principal", "role"),
  name: fc.constantFrom("a", "b", "__proto__"),
  version: fc.constantFrom("default", "2"),
  scopes: fc.uniqueArray(fc.constantFrom("", "acme", "acme.hr"), { minLength: 1 }),
  rows: fc.constantFrom(0, 1),
  isGone: fc.boolean(),
});
const steps = fc.array(fc.uniqueArray(units, { selector: ({ type, name, version }) => `${type} ${name}@${version}`, maxLength: 6 }), {
  maxLength: 6,
});

const byText = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number => (left < right ? -1 : 1);

const readable = ({ resource, principal, role }: PolicyIndex) => {
  const ofType = ({ scopes, units: named }: TypeIndex) => ({
    scopes: [[...scopes.all].sort(byText), scopes.longest],
    units: [...named].map(([name, versions]) => [name, [...versions].sort(byText)] as const).sort(byText),
  });
  const rolesOf = (version: string, scope: string) => [...(role.at(version, scope)?.units ?? [])].sort(byText);
  return {
    resource: ofType(resource),
    principal: ofType(principal),
    roles: ["default", "2"].flatMap((version) => ["", "acme", "acme.hr"].map((scope) => [version, scope, rolesOf(version, scope)])),
    parents: ["", "acme", "acme.hr"].map((scope) => ["a", "b", "__proto__"].map((name) => role.parentsIn(scope)?.of(name))),
  };
};

describe("an index made from the one before", () => {
  it("asks whom a role narrows in one order, whichever of its versions was written last", () => {
    const [first, second] = [unitOf("role", "a", "default", ["acme"], 1), unitOf("role", "a", "2", ["acme"], 1)];
    const begun = editIndex(emptyIndex);
    begun.put(second);
    begun.put(first);
    const index = begun.finish();
    const draft = editIndex(index);
    draft.take(second);
    draft.put(unitOf("role", "a", "2", ["acme"], 2));
    for (const each of [index, draft.finish()])
      expect(each.role.parentsIn("acme")?.of("a")).toEqual(["parent of a@2", "parent of a@default"]);
  });

  it("is the one that is made afresh of the same units, and leaves the one before as it was", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const there = new Map<string, LoadedUnit>();
        const made: (readonly [index: VersionedIndex, afresh: ReturnType<typeof readable>])[] = [];
        let index = emptyIndex;
        for (const step of all) {
          const draft = editIndex(index);
          const changed = step.map(({ type, name, version, scopes, rows, isGone }) => ({
            unit: unitOf(type, name, version, scopes, rows),
            isGone,
          }));
          for (const { unit } of changed) {
            const before = there.get(unit.id);
            if (before !== undefined) draft.take(before);
            there.delete(unit.id);
          }
          for (const { unit, isGone } of changed) {
            if (isGone) continue;
            draft.put(unit);
            there.set(unit.id, unit);
          }
          index = draft.finish();
          const inOrder = [...there.values()].sort((left, right) => byUnits(left.id, right.id));
          made.push([index, readable(indexUnits(inOrder))]);
        }
        for (const [then, afresh] of made) expect(readable(then)).toEqual(afresh);
      }),
    );
  });

  it.each<readonly [sentence: string, type: PolicyType, scope: string, isSame: boolean]>([
    ["a unit that is replaced in its scopes leaves them as they are", "resource", "acme", true],
    ["a unit that is replaced in another scope does not", "resource", "acme.hr", false],
  ])("%s", (_, type, scope, isSame) => {
    const before = unitOf(type, "a", "default", ["", "acme"], 1);
    const first = editIndex(emptyIndex);
    first.put(before);
    const index = first.finish();
    const draft = editIndex(index);
    draft.take(before);
    draft.put(unitOf(type, "a", "default", ["", scope], 1));
    const next = draft.finish();
    expect(next.resource.scopes === index.resource.scopes).toBe(isSame);
    expect(next.principal.scopes).toBe(index.principal.scopes);
    expect(next.role).toBe(index.role);
  });
});
