/** What is read of a bundle later is what was in it; what is written otherwise is read at once. */
import { describe, expect, it } from "vitest";
import type { Bundle, BundleChange, BundledScope, BundledUnit } from "../../runtime/bundle.ts";
import { evaluateInThisRealm, load } from "../../runtime/load.ts";
import { readBundle, readInSteps } from "../../runtime/read-bundle.ts";
import { bundleInPieces, changeInPieces, wholeText } from "../../src/texts/in-pieces.ts";
import { ask, bundleOf, resourcePolicy, told } from "./decide/policies.ts";

const textOf = (bundle: Bundle): string => wholeText(bundleInPieces(bundle));
/** A copy of all that can be asked of a unit. */
const asked = (unit: BundledUnit): BundledUnit => {
  const { id, type, name, writtenName, version, digest, shape, constants, scopes, trees } = unit;
  return { id, type, name, writtenName, version, digest, shape, constants, scopes: scopes.map(askedOf), trees };
};
const askedOf = ({ scope, key, patterns, rows, parentRoles, schemas, sourceAttributes }: BundledScope): BundledScope => ({
  scope,
  key,
  patterns,
  rows,
  ...(parentRoles !== undefined && { parentRoles }),
  ...(schemas !== undefined && { schemas }),
  sourceAttributes,
});
/** Is it text still, but for its name? */
const isUnread = (unit: BundledUnit): boolean => !Object.hasOwn(unit, "trees");

const allow = "- { actions: [view], effect: EFFECT_ALLOW, roles: [user] }";
const policy = (kind: string, head = ""): string => resourcePolicy(kind, allow, head);
const role = (name: string, rules: string): string =>
  `apiVersion: api.authz.dev/v1\nrolePolicy:\n  role: ${name}\n  scope: acme\n  rules: ${rules}\n`;
const from = (attributes: object): string =>
  `metadata: { sourceAttributes: { attributes: ${JSON.stringify(attributes)} } }\n${policy("doc", "  scope: acme\n")}`;
const lookalike = ',"constants":[],"scopes":[{"scope":"x"}],"trees":"",\n';

describe("a bundle with a line for each unit is the same bundle", () => {
  it.each<readonly [sentence: string, unread: number, policies: readonly string[]]>([
    ["one unit", 1, [policy("doc")]],
    ["several units", 3, [policy("doc"), policy("memo"), policy("note")]],
    ["a unit of several scopes", 1, [policy("doc"), policy("doc", "  scope: acme\n"), policy("doc", "  scope: acme.hr\n")]],
    ["a scope that is not the root", 1, [policy("doc", "  scope: acme\n"), policy("doc")]],
    ["a role with rules", 1, [role("clerk", "[{ resource: doc, allowActions: [view] }]")]],
    ["a role without rules, which makes no scope exist", 2, [role("clerk", "[]"), policy("doc")]],
    [
      "literals that do",
      1,
      [
        resourcePolicy(
          "doc",
          `${allow.slice(0, -2)}, condition: { match: { expr: ${JSON.stringify(`R.id == ${JSON.stringify(lookalike)}`)} } } }`,
        ),
      ],
    ],
    ["a source that is said to have scopes", 0, [from({ of: [{ scope: "x" }, { scope: "y", rows: [] }] }), policy("doc")]],
    ["a source that is said to have trees", 0, [from({ trees: "a", scopes: [1], of: { constants: [], trees: "b" } }), policy("doc")]],
    ["a source of which a word is said", 1, [from({ a: "b" }), policy("doc")]],
    ["a source that is said to hold something", 0, [from({ of: {} }), policy("doc")]],
    ["a source of which what would end a policy is said", 0, [from({ a: '}},{"scope":"x"}],"trees":"' }), policy("doc")]],
    ["a source of which what would end all policies is said", 0, [from({ a: "}}]," }), policy("doc")]],
    ["a source of which more is said under such a name", 0, [from({ '}},{"scope":"x"': 1, "}}": 2 }), policy("doc")]],
    ["letters of all sorts", 2, [policy("d\u{1f600}\u2028"), policy("doc")]],
  ])("%s", (_sentence, unread, policies) => {
    const bundle = bundleOf(...policies);
    const text = textOf(bundle);
    const read = readBundle(text);
    expect(read.units.filter(isUnread)).toHaveLength(unread);
    expect({ ...read, units: read.units.map(asked) }).toEqual(bundle);
    const [lazy, whole] = [readBundle(text), bundle].map((one) => load(one, evaluateInThisRealm).index);
    for (const type of ["resource", "principal"] as const) expect(lazy?.[type].scopes).toEqual(whole?.[type].scopes);
  });
});

describe("a bundle in pieces is the same bundle, wherever it is cut", () => {
  const bundle = bundleOf(policy("doc"), policy("memo"), policy("note"));
  const text = textOf(bundle);
  const lines = text.split(/(?<=\n)/);
  it.each<readonly [sentence: string, unread: number, pieces: readonly string[]]>([
    ["as it is written", 3, [...bundleInPieces(bundle)]],
    ["a piece a line", 3, lines],
    ["a piece of nothing between lines", 3, lines.flatMap((line, at) => (at === 1 ? ["", line] : [line]))],
    ["several lines a piece", 3, [lines.slice(0, 2).join(""), lines.slice(2).join("")]],
    ["within a line", 3, [text.slice(0, -20), text.slice(-20)]],
    ["before its first line ends", 3, [text.slice(0, 5), text.slice(5)]],
    ["a character a piece", 3, [...text]],
    ["no lines", 0, [JSON.stringify(bundle).slice(0, 40), JSON.stringify(bundle).slice(40)]],
  ])("%s", (_sentence, unread, pieces) => {
    const read = readBundle(...pieces);
    expect(read.units.filter(isUnread)).toHaveLength(unread);
    expect({ ...read, units: read.units.map(asked) }).toEqual(bundle);
  });

  it.each<readonly [sentence: string, pieces: readonly string[]]>([
    ["without the first", lines.slice(1)],
    ["without one in the middle that ends the units", [...lines.slice(0, -2), ...lines.slice(-1)]],
    ["without the last", lines.slice(0, -1)],
    ["the last twice", [...lines, ...lines.slice(-1)]],
    ["a piece before the last", [...lines.slice(0, -1), ",\n", ...lines.slice(-1)]],
    ["none", []],
  ])("and refused as a whole: %s", (_sentence, pieces) => {
    expect(() => readBundle(...pieces)).toThrow(SyntaxError);
  });
});

describe("a change in pieces is the same change", () => {
  const { manifest, shapes, units } = bundleOf(policy("doc"), policy("memo"), resourcePolicy("note", allow.replace("view", "edit")));
  const whole: BundleChange = { from: "before", manifest, shapes, units, removed: ['resource "gone"@default'] };
  const read = (pieces: readonly string[]): BundleChange => {
    const reading = readInSteps<BundleChange>(pieces);
    for (;;) {
      const step = reading.next();
      if (step.done === true) return step.value;
    }
  };
  const lines = [...changeInPieces(whole)];

  it.each<readonly [sentence: string, unread: number, of: BundleChange, pieces: readonly string[]]>([
    ["as it is written", 3, whole, lines],
    ["in one", 3, whole, [lines.join("")]],
    ["cut within lines", 3, whole, [lines.join("").slice(0, 30), lines.join("").slice(30)]],
    ["in no lines", 0, whole, [JSON.stringify(whole)]],
    ["without shapes", 3, { ...whole, shapes: {} }, [...changeInPieces({ ...whole, shapes: {} })]],
    ["without units", 0, { ...whole, units: [] }, [...changeInPieces({ ...whole, units: [] })]],
    ["of nothing", 0, { ...whole, shapes: {}, units: [] }, [...changeInPieces({ ...whole, shapes: {}, units: [] })]],
  ])("%s", (_sentence, unread, of, pieces) => {
    const found = read(pieces);
    expect(found.units.filter(isUnread)).toHaveLength(unread);
    expect({ ...found, units: found.units.map(asked) }).toEqual(of);
  });

  it.each<readonly [sentence: string, pieces: readonly string[]]>([
    ["the first", lines.slice(1)],
    ["a shape, and the others end without it", [lines[0] ?? "", ...lines.slice(2).map((line) => line.replace(/^\},/, ",},"))]],
    ["the line between shapes and units", lines.filter((line) => !line.startsWith("},"))],
    ["the last unit", [...lines.slice(0, -2), ...lines.slice(-1)]],
    ["the end", lines.slice(0, -1)],
    ["all", []],
  ])("and refused as a whole without %s", (_sentence, pieces) => {
    expect(() => read(pieces)).toThrow(SyntaxError);
  });
});

it("names may read like the text around them", () => {
  const bundle = bundleOf(policy("doc"));
  const named = { ...bundle, units: bundle.units.map((unit) => ({ ...unit, id: lookalike, name: lookalike, writtenName: lookalike })) };
  expect(readBundle(textOf(named)).units.map(asked)).toEqual(named.units);
});

describe("what is not written so is read at once", () => {
  const bundle = bundleOf(policy("doc"), policy("memo"));
  const scoped = bundleOf(policy("doc"), policy("doc", "  scope: acme\n"));
  it.each<readonly [sentence: string, text: string, of: Bundle]>([
    ["no lines", JSON.stringify(bundle), bundle],
    ["other lines", JSON.stringify(bundle, undefined, 1), bundle],
    ["no units", textOf({ ...bundle, units: [] }), { ...bundle, units: [] }],
    ["members in another order", textOf(bundle).replace(/("constants":\[.*?\]),("scopes":.*),("trees":.*)\}/, "$3,$2,$1}"), bundle],
    ["a name after the trees", textOf(bundle).replaceAll(/"name":"(\w+)",(.*"trees":"[^\n]*")\}/g, '$2,"name":"$1"}'), bundle],
    ["a digest after the constants", textOf(bundle).replaceAll(/("digest":"\w+"),(.*"constants":\[.*?\]),/g, "$2,$1,"), bundle],
    ["a second policy that does not begin with its scope", textOf(scoped).replace(/("scope":"acme"),("key":"[^"]*")/, "$2,$1"), scoped],
    [
      "policies that do not end with their sources",
      textOf(scoped).replaceAll(/("patterns":.*?),("sourceAttributes":\{[^}]*\})\}/g, "$2,$1}"),
      scoped,
    ],
    ["something after the units", textOf(bundle).replace(/\}$/, ',"more":1}'), Object.assign({ more: 1 }, bundle)],
  ])("%s", (_sentence, text, of) => {
    expect(readBundle(text)).toEqual(of);
  });

  it.each<readonly [sentence: string, text: string]>([
    ["nothing", ""],
    ["no end", textOf(bundle).slice(0, -1)],
    ["the end of a unit missing", textOf(bundle).replace('"}\n]}', "\n]}")],
    ["a unit missing", textOf(bundle).replace('"}\n]}', '"},\n]}')],
    ["a line too many", textOf(bundle).replace("\n]}", "\n\n]}").replace("},\n{", "}\n{")],
  ])("and refused as a whole: %s", (_sentence, text) => {
    expect(() => readBundle(text)).toThrow(SyntaxError);
  });
});

describe("a unit whose line says something else than what was found in it fails whoever asks for it", () => {
  const text = textOf(bundleOf(policy("doc"), policy("doc", "  scope: acme\n"), policy("memo")));
  it.each<readonly [sentence: string, text: string]>([
    ["a scope that stands twice", text.replace('"scope":"acme",', '"scope":"acme","scope":"other",')],
    ["a scope by an escaped name besides", text.replace('"scope":"acme",', '"scope":"acme","sc\\u006fpe":"other",')],
    ["a second list of policies", text.replace('],"trees":"', '],"trees":"","scopes":[],"trees":"')],
    ["a second name behind the trees", text.replace(/(\n\{"id":[^\n]*"trees":"[^\n]*")\},\n/, '$1,"id":"other"},\n')],
  ])("%s", (_sentence, forged) => {
    expect(forged).not.toBe(text);
    const unit = readBundle(forged).units.find((one) => isUnread(one) && one.scopes.length > 1);
    for (let time = 0; time < 2; time++) expect(() => unit?.trees).toThrow(/what was found in it|JSON/);
  });
});

it("a unit that cannot be read fails whoever asks for it, every time, and nobody else", () => {
  const text = textOf(bundleOf(policy("doc"), policy("memo"))).replace('"key":"resource.doc.vdefault"', '"key":oops');
  const evaluator = load(readBundle(text), evaluateInThisRealm);
  for (let time = 0; time < 2; time++) {
    expect(() => ask(evaluator, ["user"], "doc", ["view"])).toThrow(SyntaxError);
    expect(told(ask(evaluator, ["user"], "memo", ["view"]))).toEqual(["view: ALLOW by resource.memo.vdefault"]);
  }
});
