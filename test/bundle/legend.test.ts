/** What a bundle says of its rules besides their program: their names and words, and where they stand in the YAML. */
import { describe, expect, test } from "vitest";
import { compile } from "../../compiler/index.ts";
import type { Legend, Place } from "../../compiler/legend/legend.ts";
import { writeLegend } from "../../compiler/legend/write-legend.ts";
import { readBundle, writeBundle } from "../../src/bundle/index.ts";
import { outline } from "../../src/bundle/outline.ts";
import { digest } from "../../src/texts/digest.ts";
import { isRefusal } from "../../src/refusal.ts";
import { decideFolders } from "../golden/cases.ts";

function made(sources: readonly { readonly path: string; readonly text: string }[]) {
  const { compiled } = compile(sources, { digest });
  if (compiled === undefined) throw new Error("the policies compile");
  const legend = writeLegend(compiled.table.units, compiled.documents());
  return { content: { bundle: compiled.bundle, schemas: new Map<string, string>(), policies: sources.length, legend }, legend };
}

/** The rest of the line at a place. */
function textAt({ sources }: Legend, [source, line, column]: Place, files: ReadonlyMap<string, string>): string {
  const lines = files.get(sources[source] ?? "")?.split("\n") ?? [];
  return lines[line - 1]?.slice(column - 1) ?? "nothing";
}

describe("every place of every folder of the goldens", () => {
  const folders = decideFolders();
  test.each(folders.map((folder) => [folder.name, folder] as const))("%s", (_name, { sources }) => {
    const files = new Map(sources.map(({ path, text }) => [path, text]));
    const { content, legend } = made(sources);
    for (const [at, policies] of legend.units.entries())
      for (const [scope, { rules, roles }] of policies.entries()) {
        expect(rules).toHaveLength(content.bundle.units[at]?.scopes[scope]?.rows.length ?? -1);
        for (const { when, met, notMet } of [...rules, ...roles.map((role) => ({ ...role, met: undefined, notMet: undefined }))])
          for (const said of [when, met, notMet])
            for (const place of said?.at ?? []) {
              const [word = "no word"] = /^[A-Za-z0-9_]+|^[^\s]/.exec(textAt(legend, place, files)) ?? [];
              expect([said?.says, said?.says.includes(word)]).toEqual([said?.says, true]);
            }
      }
    expect(readBundle(writeBundle(content), { kind: "anybody" }).content.legend).toEqual(legend);
  });

  test("of two orders of the files it is the same", () => {
    for (const { sources } of folders) expect(made(sources.toReversed()).legend).toEqual(made(sources).legend);
  });
});

const album = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  importDerivedRoles: [people]
  variables:
    import: [shared]
    local:
      isOpen: R.attr.status == "OPEN"
  constants:
    local: { most: 3 }
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      derivedRoles: [owner]
      condition:
        match:
          any:
            of:
              - expr: V.isOpen
              - all: { of: [{ expr: R.attr.size < C.most }, { expr: V.young }] }
    - { name: no, actions: [edit], effect: EFFECT_DENY, roles: ["*"], output: { when: { conditionNotMet: '"fine"' } }, condition: { match: { expr: R.attr.locked } } }
`;
const people = `apiVersion: api.authz.dev/v1
derivedRoles:
  name: people
  definitions:
    - name: owner
      parentRoles: [user]
      condition: { match: { expr: >-
        R.attr.owner ==
        P.id } }
`.replace(
  "{ match: { expr: >-\n        R.attr.owner ==\n        P.id } }",
  "\n        match:\n          expr: >-\n            R.attr.owner ==\n            P.id",
);
const shared = `apiVersion: api.authz.dev/v1
exportVariables:
  name: shared
  definitions:
    young: R.attr.age < 18
`;

test("in words", () => {
  const { content } = made([
    { path: "people.yaml", text: people },
    { path: "b/album.yaml", text: album },
    { path: "shared.yaml", text: shared },
  ]);
  expect(outline(content)).toEqual([
    {
      key: "resource.album.vdefault",
      type: "resource",
      name: "album",
      version: "default",
      scope: "",
      unit: content.bundle.units[0]?.digest,
      at: "b/album.yaml:3:3",
      says: [],
      rules: [
        {
          name: "rule-001",
          at: "b/album.yaml:13:7",
          says: [
            ["effect", "allow"],
            ["actions", "view"],
            ["derived roles", "owner"],
            ["when", "any of (V.isOpen; all of (R.attr.size < C.most; V.young))"],
          ],
        },
        {
          name: "no",
          at: "b/album.yaml:22:7",
          says: [
            ["effect", "deny"],
            ["actions", "edit"],
            ["roles", "*"],
            ["when", "R.attr.locked"],
            ["output when its condition is not met", '"fine"'],
          ],
        },
      ],
      derivedRoles: [
        {
          name: "owner",
          at: "people.yaml:5:7",
          says: [
            ["is", "user"],
            ["when", "R.attr.owner == P.id"],
          ],
        },
      ],
      variables: [
        { name: "isOpen", at: "b/album.yaml:9:7", says: [["says", 'R.attr.status == "OPEN"']] },
        { name: "young", at: "shared.yaml:5:5", says: [["says", "R.attr.age < 18"]] },
      ],
      constants: [{ name: "most", at: "b/album.yaml:11:14", says: [["says", "3.0"]] }],
    },
  ]);
});

describe("a legend that does not fit is refused", () => {
  const { content, legend } = made([
    {
      path: "a.yaml",
      text: album
        .replaceAll(/ {2}importDerived.*\n|\n {4}import: \[shared\]/g, "")
        .replace("; V.young", "")
        .replace(", { expr: V.young }", "")
        .replace("derivedRoles: [owner]", "roles: [user]"),
    },
  ]);
  const [[policy] = []] = legend.units;
  if (policy === undefined) throw new Error("there is a policy");
  const [rule] = policy.rules;
  if (rule === undefined) throw new Error("there is a rule");
  const withRule = (change: object): Legend => ({
    ...legend,
    units: [[{ ...policy, rules: [{ ...rule, ...change }, ...policy.rules.slice(1)] }]],
  });
  test.each<[sentence: string, legend: unknown, because: string]>([
    ["about fewer units", { ...legend, units: [] }, "`legend.units` must be about each unit"],
    ["about fewer policies", { ...legend, units: [[]] }, "`legend.units[0]` must be about each policy of the unit"],
    ["about fewer rules", { ...legend, units: [[{ ...policy, rules: [] }]] }, "`legend.units[0][0].rules` must be about each rule"],
    ["of a source that is not there", withRule({ at: [7, 1, 1] }), "`legend` names a source that it does not have"],
    ["of a pattern that is not there", withRule({ patterns: [9] }), "`legend.units[0][0]` names what the policy does not have"],
    ["of a role that is not there", withRule({ roles: [0] }), "`legend.units[0][0]` names what the policy does not have"],
    ["with another effect", withRule({ effect: "maybe" }), "must be allow or deny"],
    ["with a word of its own", withRule({ more: 1 }), "has `more`, which is not known here"],
    ["with a place that is none", withRule({ at: [0, 1] }), "must be a source, a line and a column"],
    ["with sources in another order", { ...legend, sources: ["b", "a"] }, "does not stand in the order of paths"],
  ])("%s", (_sentence, other, because) => {
    try {
      writeBundle({ ...content, legend: other as Legend });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      expect(error.message).toContain(because);
      return;
    }
    expect("not refused").toBe(because);
  });
});
