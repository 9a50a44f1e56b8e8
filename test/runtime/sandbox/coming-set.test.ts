/** A set that is to come is made little by little: until it is there the one before answers, and what goes wrong changes nothing. */
import { describe, expect, it } from "vitest";
import type { Bundle } from "../../../runtime/bundle.ts";
import type { Realm } from "../../../runtime/sandbox/realm.ts";
import { bundleChange } from "../../../src/compile/bundle-change.ts";
import { bundleInPieces, changeInPieces } from "../../../src/texts/in-pieces.ts";
import { bundleOf, deciding, openWithoutGate } from "./open.ts";

const kinds = Array.from({ length: 300 }, (_, number) => `kind_${String(number).padStart(3, "0")}`);

/** A set in which each kind has a policy, and all of them decide alike. */
function deciders(effect: "ALLOW" | "DENY", digest: string = effect): Bundle {
  const { manifest, shapes, units } = bundleOf(deciding(`return rt.${effect};`));
  return {
    manifest: { ...manifest, digest },
    shapes,
    units: kinds.flatMap((name) => units.map((unit) => ({ ...unit, id: `resource ${name}@default`, name, writtenName: name }))),
  };
}
const old = deciders("ALLOW");
const next = deciders("DENY");
const pieces = [...changeInPieces(bundleChange(old, next))];

/** What is decided of a kind at the beginning, one in the middle, and one at the end. */
function decided(realm: Realm): string {
  const resources = [kinds[0], kinds[150], kinds[299]].map((kind) => ({ actions: ["view"], resource: { kind, id: "1" } }));
  const answer = realm.checkResources(JSON.stringify({ principal: { id: "ann", roles: ["user"] }, resources }), "CALL", 0);
  return [...answer.matchAll(/"EFFECT_(\w+)"/g)].map(([, effect]) => effect).join(" ");
}
const allOld = "ALLOW ALLOW ALLOW";
const allNext = "DENY DENY DENY";

function opened(): Realm {
  const realm = openWithoutGate();
  realm.load(...bundleInPieces(old));
  return realm;
}

/** Goes on to the end, and returns what was decided on the way. */
function decidedMeanwhile(realm: Realm): readonly string[] {
  const answers = [decided(realm)];
  while (!realm.goOn()) answers.push(decided(realm));
  return answers;
}

describe("the set before answers until all of the next is there", () => {
  it.each<readonly [sentence: string, kind: "load" | "change", pieces: readonly string[]]>([
    ["a change", "change", pieces],
    ["a change in larger pieces", "change", [pieces.slice(0, 100).join(""), pieces.slice(100).join("")]],
    ["a whole set", "load", [...bundleInPieces(next)]],
    ["a change written in no lines", "change", [JSON.stringify(bundleChange(old, next))]],
  ])("%s", (_sentence, kind, text) => {
    const realm = opened();
    realm.begin(kind, text);
    const meanwhile = decidedMeanwhile(realm);
    expect(meanwhile.length).toBeGreaterThan(1);
    expect(new Set(meanwhile)).toEqual(new Set([allOld]));
    expect(decided(realm)).toBe(allNext);
  });
});

describe("what goes wrong keeps the set that was, and the next one comes", () => {
  const broken = (at: number, text: string): readonly string[] => pieces.map((piece, index) => (index === at ? text : piece));
  it.each<readonly [sentence: string, kind: "load" | "change", pieces: readonly string[], why: RegExp]>([
    ["nothing", "change", [], /^cannot change the policies: /],
    ["a unit that is none", "change", broken(200, "{},\n"), /^cannot change the policies: /],
    ["a unit cut off", "change", broken(200, `${pieces[200]?.slice(0, 40)}\n`), /^cannot change the policies: /],
    ["a unit without its shape", "change", pieces.map((piece) => piece.replaceAll('"shape":"(', '"shape":"no(')), /holds the shape/],
    ["a shape cut off", "change", broken(1, '"x":"\n'), /^cannot change the policies: /],
    ["no end", "change", pieces.slice(0, -1), /^cannot change the policies: /],
    ["a change of another set", "change", [...changeInPieces(bundleChange(deciders("ALLOW", "other"), next))], /builds on/],
    ["a whole set without its end", "load", [...bundleInPieces(next)].slice(0, -1), /^cannot load the policies: /],
  ])("%s", (_sentence, kind, text, why) => {
    const realm = opened();
    realm.begin(kind, text);
    expect(() => decidedMeanwhile(realm)).toThrow(why);
    expect(decided(realm)).toBe(allOld);
    expect(() => realm.goOn()).toThrow("no set is to come");
    realm.change(...pieces);
    expect(decided(realm)).toBe(allNext);
  });
});

describe("one that another follows", () => {
  it("is given up where it is not there yet", () => {
    const realm = opened();
    realm.begin("change", pieces);
    for (let step = 0; step < 100; step++) expect(realm.goOn()).toBe(false);
    realm.change(...changeInPieces(bundleChange(old, deciders("ALLOW", "between"))));
    expect(decided(realm)).toBe(allOld);
    expect(() => realm.goOn()).toThrow("no set is to come");
    // What it built on is not in force any more.
    expect(() => realm.change(...pieces)).toThrow("builds on");
  });

  it("a check that waits is decided by the set under which it began", () => {
    const realm = opened();
    realm.configure(JSON.stringify({ schemaEnforcement: "none" }));
    const body = {
      principal: { id: "ann", roles: ["user"] },
      resources: [{ actions: ["view"], resource: { kind: kinds[0], id: "1" } }],
      auxData: { jwt: { token: "t" } },
    };
    const asked = realm.checkResources(JSON.stringify(body), "CALL", 0);
    const { handle }: { readonly handle: number } = JSON.parse(asked.slice(1));
    realm.change(...pieces);
    expect(realm.resume(handle, '{"auxData":{"jwt":{}},"invalid":null,"validation":[]}', "CALL", 0)).toContain("EFFECT_ALLOW");
  });
});
