/** The laws that every decision keeps, on random stores: the reference and generated code are held to each of them. */
import { describe, expect, test } from "vitest";
import type { Decision } from "../../runtime/decide/decision.ts";
import { document, type Document, type Json } from "./document.ts";
import { askReference, openSubject } from "./judge.ts";
import { openRandom, type Random } from "./random.ts";
import { optionsOf, type Batch } from "./requests.ts";
import { addRule, keepRules, plain, rulesOf, shuffle } from "./reshape.ts";
import { makeTrial, type Trial } from "./run.ts";
import { everything } from "./variants.ts";

const seed = Number(process.env["AUTHZ_SEED"] ?? 1);
const stores = Number(process.env["AUTHZ_LAW_STORES"] ?? 6);

/** Decides a call; undefined where the store does not compile. */
type Voice = (documents: readonly Document[]) => ((batch: Batch) => readonly Decision[]) | undefined;

const voices: readonly (readonly [name: string, voice: Voice])[] = [
  [
    "the reference",
    (documents) => {
      const subject = openSubject(documents, []);
      return typeof subject === "string" ? undefined : (batch) => askReference(subject.policySet, batch).decisions;
    },
  ],
  [
    "generated code",
    (documents) => {
      const subject = openSubject(documents, [everything]);
      if (typeof subject === "string") return undefined;
      const [evaluator] = subject.evaluators;
      return ({ inputs, settings }) => evaluator?.check(inputs, optionsOf(settings, false)) ?? [];
    },
  ],
];

/** The effects of a call, in order: one line for each action of each input. */
const effects = (decisions: readonly Decision[]): readonly string[] =>
  decisions.flatMap(({ actions }, index) => [...actions].map(([action, { effect }]) => `${index} ${action} ${effect}`));

/** What is allowed. */
const granted = (decisions: readonly Decision[]): readonly string[] => effects(decisions).filter((line) => line.endsWith("EFFECT_ALLOW"));

/** What is allowed in the second and not in the first. */
const more = (before: readonly Decision[], after: readonly Decision[]): readonly string[] => {
  const known = new Set(granted(before));
  return granted(after).filter((line) => !known.has(line));
};

const lax = (batch: Batch): Batch => ({ ...batch, settings: { ...batch.settings, strictEvaluation: false } });
const strict = (batch: Batch): Batch => ({ ...batch, settings: { ...batch.settings, strictEvaluation: true } });

const trials = new Map<number, Trial>();
function trialOf(set: number): Trial {
  const { documents, batches } = trials.get(set) ?? makeTrial(seed, set);
  const trial = { documents, batches: batches.slice(0, 8) };
  trials.set(set, trial);
  return trial;
}

/** Tries a law on random stores; `broken` says what breaks it. */
function law(
  says: string,
  broken: (random: Random, documents: readonly Document[], batches: readonly Batch[], voice: Voice) => readonly string[],
): void {
  test.each(voices)(`${says}: %s (AUTHZ_SEED=${seed})`, { timeout: 3_600_000 }, (_, voice) => {
    for (let set = 0; set < stores; set++) {
      const { documents, batches } = trialOf(set);
      expect(broken(openRandom(seed + set), documents, batches, voice), `store ${set}`).toEqual([]);
    }
  });
}

describe("laws", () => {
  law("what no rule allows is denied", (_random, documents, batches, voice) => {
    const decide = voice(keepRules(documents, (rule) => rule["effect"] === "EFFECT_DENY"));
    return decide === undefined ? [] : batches.flatMap((batch) => granted(decide(batch)));
  });

  // Under strict evaluation the order of rules says which condition fails first, and after a failure no other role is asked.
  law("effects are free of the order of rules, and of the order and names of files", (random, documents, batches, voice) => {
    const before = voice(documents);
    const after = voice(shuffle(random, documents));
    if (before === undefined || after === undefined) return before === after ? [] : ["one compiles, the other does not"];
    return batches.map(lax).flatMap((batch) => {
      const [one, other] = [before(batch), after(batch)].map(effects);
      return JSON.stringify(one) === JSON.stringify(other) ? [] : [JSON.stringify({ one, other })];
    });
  });

  // A rule that names a derived role brings it into `runtime.effectiveDerivedRoles`, which conditions may turn around.
  law("without role policies and scopes that need consent, to take an ALLOW away never grants", (random, documents, batches, voice) => {
    const simple = plain(documents);
    const candidates = rulesOf(simple).filter((rule) => rule["effect"] === "EFFECT_ALLOW" && rule["derivedRoles"] === undefined);
    const [before, removed] = [voice(simple), new Set(random.some(1, 2, candidates))];
    const after = voice(keepRules(simple, (rule) => !removed.has(rule)));
    if (before === undefined || after === undefined) return [];
    return batches.map(lax).flatMap((batch) => more(before(batch), after(batch)));
  });

  // Under strict evaluation a DENY may come before the failure that would have ended the action.
  law("to add a DENY without condition for a role of the principal never grants", (random, documents, batches, voice) => {
    const before = voice(documents);
    if (before === undefined) return [];
    return batches.slice(0, 2).flatMap((batch) => {
      const roles = [random.pick(batch.inputs.flatMap(({ principal }) => principal.roles))];
      const rule = { actions: [random.pick(["*", "view", "edit"])], roles, effect: "EFFECT_DENY" };
      const after = voice(addRule(random, documents, rule));
      return after === undefined ? [] : batches.map(lax).flatMap((each) => more(before(each), after(each)));
    });
  });

  // Semantics 4.6 has an exception: while derived roles are listed, a variable that failed is there, as null, and only without strictness.
  law("strict evaluation never grants what is denied without it", (_random, documents, batches, voice) => {
    const decide = documents.some(asksForVariables) ? undefined : voice(documents);
    return decide === undefined ? [] : batches.flatMap((batch) => more(decide(lax(batch)), decide(strict(batch))));
  });
});

/** Whether derived roles ask if a variable is there: `has(V.a)`, `V.?a`, or V as a whole. */
const asksForVariables = (document: Document): boolean =>
  document["derivedRoles"] !== undefined && /has\(\s*(V|variables)\b|\b(V|variables)\b(?!\.\w)(?!":)/.test(JSON.stringify(document));

/** Where a law stops: a store, the same with one rule changed, and an action that this grants. */
describe("beyond the laws", () => {
  const allow = (roles: readonly string[], more: { readonly [part: string]: Json } = {}): Json => ({
    actions: ["view"],
    roles,
    effect: "EFFECT_ALLOW",
    ...more,
  });
  const when = (expr: string): { readonly condition: Json } => ({ condition: { match: { expr } } });
  const album = (rules: readonly Json[], more: { readonly [part: string]: Json } = {}): Document =>
    document("resourcePolicy", { resource: "album", version: "default", ...more, rules });
  const consenting = { scope: "acme", scopePermissions: "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS" };
  const limit = document("rolePolicy", { role: "clerk", scope: "acme", rules: [{ resource: "leave", allowActions: ["view"] }] });
  const derived = (variables: Json, condition: string): Document =>
    document("derivedRoles", {
      name: "set",
      variables: { local: variables },
      definitions: [{ name: "near", parentRoles: ["clerk"], ...when(condition) }],
    });
  const importing = { importDerivedRoles: ["set"] };
  const unlessNear = allow(["clerk"], when('!("near" in runtime.effectiveDerivedRoles)'));
  const asNear = { actions: ["edit"], derivedRoles: ["near"], effect: "EFFECT_ALLOW" };

  const cases: readonly (readonly [
    says: string,
    before: readonly Document[],
    after: readonly Document[],
    roles: readonly string[],
    strictness: readonly [before: boolean, after: boolean],
  ])[] = [
    [
      "to take away an ALLOW that needs consent takes away what it asked for",
      [album([allow(["clerk"])]), album([allow(["clerk"], when("R.attr.open"))], consenting)],
      [album([allow(["clerk"])]), album([], consenting)],
      ["clerk"],
      [false, false],
    ],
    [
      "a role policy does not limit what its scope does not know: to take the last ALLOW away lifts the limit",
      [album([allow(["clerk"])]), album([{ actions: ["edit"], roles: ["clerk"], effect: "EFFECT_ALLOW" }], { scope: "acme" }), limit],
      [album([allow(["clerk"])]), album([], { scope: "acme" }), limit],
      ["clerk"],
      [false, false],
    ],
    [
      "to take away the ALLOW of a derived role takes the role away from those who are asked for it",
      [album([asNear, unlessNear], importing), derived({}, "true")],
      [album([unlessNear], importing), derived({}, "true")],
      ["clerk"],
      [false, false],
    ],
    [
      "under strict evaluation, to take away an ALLOW that fails takes the failure away",
      [album([allow(["clerk"], when("R.attr.missing")), allow(["clerk"])])],
      [album([allow(["clerk"])])],
      ["clerk"],
      [true, true],
    ],
    [
      "under strict evaluation, to add a DENY before an ALLOW that fails lets another role speak",
      [album([allow(["clerk"], when("R.attr.missing")), allow(["user"])])],
      [album([{ actions: ["*"], roles: ["clerk"], effect: "EFFECT_DENY" }, allow(["clerk"], when("R.attr.missing")), allow(["user"])])],
      ["clerk", "user"],
      [true, true],
    ],
    [
      "without strict evaluation a derived role has a variable that fails, with strict evaluation it has none (semantics 4.6)",
      [album([asNear, unlessNear], importing), derived({ missing: "R.attr.missing" }, "has(V.missing)")],
      [album([asNear, unlessNear], importing), derived({ missing: "R.attr.missing" }, "has(V.missing)")],
      ["clerk"],
      [false, true],
    ],
  ];

  const call = (roles: readonly string[], strictEvaluation: boolean): Batch => ({
    inputs: [
      { principal: { id: "ann", roles }, resource: { kind: "album", id: "one", scope: "acme", attr: { open: false } }, actions: ["view"] },
    ],
    settings: { strictEvaluation, lenientScopeSearch: true, defaultPolicyVersion: "default" },
  });

  describe.each(voices)("%s", (_, voice) => {
    test.each(cases)("%s", (_says, before, after, roles, [one, other]) => {
      expect(effects(voice(before)?.(call(roles, one)) ?? [])).toEqual(["0 view EFFECT_DENY"]);
      expect(effects(voice(after)?.(call(roles, other)) ?? [])).toEqual(["0 view EFFECT_ALLOW"]);
    });
  });
});
