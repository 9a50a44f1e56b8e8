/** Where a question leads is remembered: that must never show in an answer. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { evaluateInThisRealm, load, type Loaded } from "../../../runtime/load.ts";
import { ask, bundleOf, told } from "./policies.ts";
import { resource, role } from "./policies-of-all-types.ts";

interface Question {
  readonly kind: string;
  readonly policyVersion?: string | undefined;
  readonly scope: string;
  readonly lenient: boolean;
  readonly roles: readonly string[];
}

const answer = (evaluator: Loaded, { kind, policyVersion, scope, lenient, roles }: Question): readonly string[] =>
  told(
    ask(evaluator, roles, kind, ["view", "edit"], {
      input: { resource: { kind, id: "1", scope, ...(policyVersion !== undefined && { policyVersion }) } },
      options: { lenientScopeSearch: lenient },
    }),
  );

const bundle = bundleOf(
  resource("album", ["allow view to user"]),
  resource("album", ["allow edit to user", "deny view to user"], { scope: "acme" }),
  resource("album", ["allow edit to user"], { scope: "acme.hr" }),
  resource("album", ["deny view to user", "allow edit to clerk"], { version: "v2" }),
  resource("leave-request", ["allow view to user, clerk"]),
  resource("leave-request", ["allow edit to user, clerk"], { scope: "acme" }),
  resource("doc:9x", ["allow view to user"]),
  // Speaks of one of two spellings of a kind.
  role("boss", ["user"], ["leave-request: view"], { scope: "acme" }),
  // Without rules: what it narrows counts in its scope, which it does not make exist.
  resource("album", ["allow edit to user"], { scope: "beta" }),
  role("clerk", ["user"], [], { scope: "beta.it" }),
  role("clerk", ["user"], [], { scope: "acme.hr.uk" }),
);

const question = fc.record<Question>({
  kind: fc.constantFrom("album", "leave-request", "leave_request", "leave@request", "doc:9x", "doc_9x", "nothing", "__proto__"),
  policyVersion: fc.constantFrom(undefined, "", "default", "v2", "v9"),
  scope: fc.constantFrom(
    "",
    ".",
    "acme",
    ".acme",
    "acme.hr",
    "acme.hr.uk",
    "acme.hr.uk.york",
    "beta.it",
    "beta.it.ops",
    "beta.nowhere",
    "acme.nowhere",
    "beta",
  ),
  lenient: fc.boolean(),
  roles: fc.constantFrom(["user"], ["clerk"], ["boss"], ["clerk", "boss"]),
});

it("whatever was asked before, an answer is that of an evaluator that was never asked", () => {
  const fresh = new Map<string, readonly string[]>();
  const expected = (each: Question): readonly string[] => {
    const key = JSON.stringify(each);
    const known = fresh.get(key) ?? answer(load(bundle, evaluateInThisRealm), each);
    fresh.set(key, known);
    return known;
  };
  fc.assert(
    fc.property(fc.array(question, { minLength: 2, maxLength: 24 }), (questions) => {
      const evaluator = load(bundle, evaluateInThisRealm);
      expect(questions.map((each) => answer(evaluator, each))).toEqual(questions.map(expected));
    }),
    { numRuns: 300 },
  );
});

it.each<[sentence: string, first: Partial<Question>, then: Partial<Question>, expected: string]>([
  [
    "in a scope that only narrows roles the narrowed role counts, though the one beside it was asked in before",
    { scope: "beta.nowhere", roles: ["clerk"] },
    { scope: "beta.it", roles: ["clerk"] },
    "edit: ALLOW by resource.album.vdefault/beta in beta",
  ],
  [
    "and the other way round",
    { scope: "beta.it", roles: ["clerk"] },
    { scope: "beta.nowhere", roles: ["clerk"] },
    "edit: DENY by resource.album.vdefault/beta",
  ],
  [
    "a scope that only a lenient search finds is not found by the next that is not",
    { scope: "acme.nowhere" },
    { scope: "acme.nowhere", lenient: false },
    "edit: DENY by NO_MATCH",
  ],
  [
    "another version of the same scope is asked",
    { scope: "" },
    { scope: "", policyVersion: "v2", roles: ["clerk"] },
    "edit: ALLOW by resource.album.vv2",
  ],
])("%s", (_, first, then, expected) => {
  const evaluator = load(bundle, evaluateInThisRealm);
  const usual: Question = { kind: "album", scope: "", lenient: true, roles: ["user"] };
  answer(evaluator, { ...usual, ...first });
  expect(answer(evaluator, { ...usual, ...then })).toContain(expected);
});

it("more routes than are remembered are answered as the first ones were", () => {
  const scopes = Array.from({ length: 100 }, (_, at) => `s${at}`);
  const kinds = Array.from({ length: 100 }, (_, at) => `kind-${at}`);
  const evaluator = load(
    bundleOf(
      ...kinds.map((kind, at) => resource(kind, [`allow ${at % 2 === 0 ? "view" : "edit"} to user`])),
      ...scopes.map((scope) => resource("kind-0", ["deny view to user"], { scope })),
    ),
    evaluateInThisRealm,
  );
  const all = (): readonly (readonly string[])[] =>
    scopes.flatMap((scope) => kinds.map((kind) => answer(evaluator, { kind, scope, lenient: false, roles: ["user"] })));
  const first = all();
  expect(first[0]).toEqual(["view: DENY by resource.kind_0.vdefault/s0 in s0", "edit: DENY by resource.kind_0.vdefault/s0"]);
  expect(first[101]).toEqual(["view: DENY by resource.kind_1.vdefault/s1", "edit: ALLOW by resource.kind_1.vdefault/s1"]);
  expect(all()).toEqual(first);
});
