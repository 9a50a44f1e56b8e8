/** Questions are data of a bundle, and programs ask each in its place: what a rule says is never found out while derived roles are listed. */
import { describe, expect, test } from "vitest";
import type { BundledUnit } from "../../runtime/bundle.ts";
import { writeContent } from "../../src/bundle/file.ts";
import { bundleOf, rebuilt } from "./try-out.ts";

const bundle = bundleOf(
  `apiVersion: api.authz.dev/v1
derivedRoles:
  name: own
  variables: { local: { team: R.attr.team + "" } }
  definitions:
    - { name: owner, parentRoles: [user], condition: { match: { expr: R.attr.owner == P.id } } }
    - { name: peer, parentRoles: [user], condition: { match: { expr: V.team == P.attr.team } } }
`,
  `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  importDerivedRoles: [own]
  variables: { local: { size: R.attr.size + 1.0 } }
  rules:
    - { actions: [view], effect: EFFECT_ALLOW, derivedRoles: [owner, peer] }
    - { actions: [edit], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: V.size > 2.0 } }, output: { when: { ruleActivated: V.size } } }
    - { actions: [list], effect: EFFECT_ALLOW, roles: [user] }
`,
);

type Question = readonly [kind: string, policy: number, ...rest: readonly unknown[]];
interface Trees {
  readonly q: readonly Question[];
}
const { q: questions } = JSON.parse(bundle.units[0]?.trees ?? "") as Trees;
const ofKind = (kind: string): Question => {
  const found = questions.find((each) => each[0] === kind);
  if (found === undefined) throw new Error(`of ${questions.map((each) => each[0]).join()} none is ${kind}`);
  return found;
};

/** Reads the bundle with the question of one kind replaced by another one. */
function reading(kind: string, by: Question): string {
  const at = questions.indexOf(ofKind(kind));
  const unit = (one: BundledUnit): BundledUnit => ({
    ...one,
    trees: JSON.stringify({ ...(JSON.parse(one.trees) as Trees), q: questions.with(at, by) }),
  });
  try {
    writeContent({ bundle: rebuilt(bundle, { unit }), schemas: new Map(), policies: 2 });
    return "taken";
  } catch (error) {
    return String(error).replace(`question ${at}`, "question N");
  }
}

const refused = (what: string): string =>
  `Refusal: it does not have the contents of a bundle: \`units[0].trees\` must have ${what} as question N: the program of resource.doc.vdefault asks for one there`;
const both = refused("the condition of a derived role that is both listed and matched");
const listed = refused("the condition of a derived role that is listed");
const matched = refused("the condition of a rule, or of a derived role that is matched");

describe("a question that is asked in another place than its kind is refused", () => {
  test.each<[sentence: string, kind: string, by: Question, because: string]>([
    ["a rule that is asked while roles are listed", "listed", ofKind("rule"), listed],
    ["a rule that is asked while roles are listed, and when it is matched", "both", ofKind("rule"), both],
    ["a derived role that is listed alone, and asked when it is matched", "both", ofKind("listed"), both],
    ["a derived role that is matched alone, and asked while roles are listed", "both", ofKind("matched"), both],
    ["a derived role, as it is matched, while roles are listed", "listed", ofKind("matched"), listed],
    ["a derived role, as it is listed, when it is matched", "matched", ofKind("listed"), matched],
    ["a derived role, as it is listed, for a rule", "rule", ofKind("listed"), matched],
    ["an output, asked as a condition", "rule", ofKind("output"), matched],
    ["a mark, asked as a condition", "rule", ofKind("policy"), matched],
    ["a condition that is marked", "policy", ofKind("rule"), refused("a mark of rows")],
    ["a condition that is told", "output", ofKind("rule"), refused("an output")],
    ["a question of no kind", "rule", ["other", 0], matched],
  ])("%s", (_sentence, kind, by, because) => {
    expect(reading(kind, by)).toBe(because);
  });

  test("as it was built it is taken", () => {
    expect(reading("rule", ofKind("rule"))).toBe("taken");
  });
});
