/** A store whose files are in one of several states each, and changes of it: what one file means depends on the others. */
import * as fc from "fast-check";
import type { Source } from "../../../compiler/source.ts";
import { constants, principal, resource, role, roles, variables, when } from "../link/harness.ts";

const rule = "  rules: [{actions: [x], derivedRoles: [o], effect: EFFECT_ALLOW}]\n";
const scope = (name: string): string => `  scope: ${name}\n`;
const disabled = (text: string): string => text.replace("apiVersion", "disabled: true\napiVersion");
const schemas = (ref: string): string => `  schemas: {resourceSchema: {ref: ${ref}.json}}\n`;
/** A list stands at the head of the program, where equal policies must be known to be equal. */
const listed = when('R.attr.x in ["p", "q", "r"]');
const broken = "resourcePolicy: [";

/** The first state of each file is without mistakes as long as all others are in theirs. */
export const states: { readonly [path: string]: readonly string[] } = {
  "a.yaml": [
    resource(listed),
    resource(when("V.i && C.k > 1.0", "  importDerivedRoles: [d]\n  variables: {import: [v]}\n  constants: {import: [c]}\n")),
    resource(schemas("root") + listed),
    resource(when("V.gone", "  variables: {import: [v]}\n")),
    broken,
    // The denial covers the derived role as long as its parent is `u`.
    resource(`  importDerivedRoles: [d]\n${rule.replace("[{", "[{actions: [x], roles: [u], effect: EFFECT_DENY}, {")}`),
  ],
  "a_s.yaml": [
    resource(scope("s") + listed),
    resource(`${scope("s")}  importDerivedRoles: [d]\n${rule}`),
    resource(scope("s") + schemas("s")),
    disabled(resource(scope("s"))),
    resource(`${scope("s")}  scopePermissions: SCOPE_PERMISSIONS_OVERRIDE_PARENT\n`),
  ],
  "a_s_t.yaml": [resource(scope("s.t") + listed), resource(`${scope("s.t")}  importDerivedRoles: [d]\n${rule}`), resource(scope("s.t.u"))],
  "a_s_t_u.yaml": [resource(scope("s.t.u") + listed), resource(scope("s.w")), "# nothing\n"],
  "a_v2.yaml": [
    resource(listed).replace("version: default", "version: '2'"),
    resource("  scope: s\n").replace("version: default", "version: '2'"),
  ],
  // Two spellings of one name: which comes first gives the unit its name.
  "b_b.yaml": [resource(`  importDerivedRoles: [d]\n${rule}`, "b-b"), resource(listed, "b_b")],
  "b_s.yaml": [
    resource(`${scope("s")}  importDerivedRoles: [d]\n${rule}`, "b_b"),
    resource(scope("s") + listed, "b-b"),
    resource(`${scope("s")}  importDerivedRoles: [d]\n${rule.replace("x", "x, y")}`, "b_b"),
  ],
  "c.yaml": [constants("c", "k: 1"), constants("c", "k: 2, more: 3"), constants("other", "k: 2")],
  "d.yaml": [
    roles("d", "{name: o, parentRoles: [u], condition: {match: {expr: V.i}}}").replace(
      "  name: d\n",
      "  name: d\n  variables: {import: [v]}\n",
    ),
    roles("d", "{name: o, parentRoles: [w]}, {name: p, parentRoles: [u]}"),
    roles("d", "{name: p, parentRoles: [u]}"),
    disabled(roles("d", "{name: o, parentRoles: [w]}")),
  ],
  // Sound as long as nobody imports it: then somebody else may define the variable.
  "e.yaml": [
    roles("e", "{name: o, parentRoles: [u], condition: {match: {expr: V.elsewhere}}}"),
    roles("e", "{name: o, parentRoles: [u]}"),
    roles("e", "{name: o, parentRoles: [w]}"),
  ],
  "e_user.yaml": [resource(listed, "e"), resource(`  importDerivedRoles: [e]\n${rule}`, "e")],
  "p.yaml": [
    principal(
      "  variables: {import: [v]}\n  rules: [{resource: k, actions: [{action: x, effect: EFFECT_DENY, output: {expr: V.i}}]}]\n",
      "an-n",
    ),
    principal("", "an_n"),
    principal("", "ann"),
  ],
  "p_s.yaml": [principal(scope("s"), "an_n"), principal(scope("s"), "an-n"), principal(scope("s.t"), "an-n")],
  "r.yaml": [role("  rules: [{resource: a, allowActions: [x]}]\n"), role("  parentRoles: [u]\n  rules: []\n"), role("", "other")],
  "r_s.yaml": [
    role(`${scope("s")}  parentRoles: [clerk]\n  rules: [{resource: a, allowActions: [x]}]\n`, "few").replace("  version: default\n", ""),
    role(
      `${scope("s")}  rules: [{resource: "b*", allowActions: [y], condition: {match: {expr: V.i}}}]\n  variables: {import: [v]}\n`,
      "few",
    ),
    role(`${scope("s")}  rules: [{resource: "*", allowActions: [y]}]\n`, "few"),
    role(`${scope("s.t")}  rules: [{resource: a, allowActions: [y]}]\n`, "few"),
    role(`${scope("s")}  rules: [{resource: a, allowActions: [y]}, {resource: other, allowActions: [y]}]\n`, "few"),
    role(`${scope("s")}  rules: [{resource: other, allowActions: [y]}]\n`, "few"),
    disabled(role(`${scope("s")}  rules: []\n`, "few").replace("  version: default\n", "")),
    role(`${scope("s")}  rules: [{resource: a, allowActions: [y], condition: {match: {expr: V.i}}}]\n  variables: {import: [v]}\n`, "few"),
  ],
  "v.yaml": [variables("v", "i: R.attr.x == P.id"), variables("v", "i: 'true'"), variables("v", "i: 'true', j: V.i && V.lost")],
  "w.yaml": [variables("w", "i: R.attr.y"), variables("v", "i: R.attr.y"), "resourcePolicy: {}\n---\nresourcePolicy: {}\n"],
};

export const paths = Object.keys(states);

/** Which state each file is in, undefined where it is not there; and whether policies of scope `s` need consent. */
export interface Store {
  readonly files: { readonly [path: string]: string | undefined };
  readonly needsConsent: boolean;
}

export const start: Store = { files: Object.fromEntries(paths.map((path) => [path, states[path]?.[0]])), needsConsent: false };

export type Edit =
  | { readonly kind: "set"; readonly path: string; readonly state: number }
  | { readonly kind: "remove"; readonly path: string }
  | { readonly kind: "swap"; readonly paths: readonly [string, string] }
  | { readonly kind: "consent" };

/** Some edits at once; from what the store holds, or from what it held when it compiled last. */
export interface Step {
  readonly fromGood: boolean;
  readonly edits: readonly Edit[];
  /** Where the list of files is cut and put together again. */
  readonly cut: number;
}

const somePath = fc.constantFrom(...paths);

const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({ kind: fc.constant("set" as const), path: somePath, state: fc.constantFrom(0, 0, 1, 1, 2, 3, 4, 5, 6, 7) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("remove" as const), path: somePath }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("swap" as const), paths: fc.tuple(somePath, somePath) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "consent" as const }) },
);

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    fromGood: fc.boolean(),
    edits: fc.oneof({ weight: 3, arbitrary: fc.array(edit, { minLength: 1, maxLength: 1 }) }, fc.array(edit, { maxLength: 4 })),
    cut: fc.nat(paths.length),
  }),
  { minLength: 2, maxLength: 8 },
);

export function apply(store: Store, edits: readonly Edit[]): Store {
  let { files, needsConsent } = store;
  for (const one of edits) {
    switch (one.kind) {
      case "set":
        files = { ...files, [one.path]: states[one.path]?.[one.state] ?? states[one.path]?.[0] };
        break;
      case "remove":
        files = { ...files, [one.path]: undefined };
        break;
      case "swap": {
        const [left, right] = one.paths;
        files = { ...files, [left]: files[right], [right]: files[left] };
        break;
      }
      case "consent":
        needsConsent = !needsConsent;
    }
  }
  return { files, needsConsent };
}

/** Makes the files of a store, of which those that are the same are the same objects. */
export function openFiles(): (store: Store, cut: number) => readonly Source[] {
  const known = new Map<string, Source>();
  return ({ files, needsConsent }, cut) => {
    const sources = Object.entries(files).flatMap(([path, written]) => {
      if (written === undefined) return [];
      const text = needsConsent && /^(?:resource|principal)Policy:/m.test(written) ? consenting(written) : written;
      const source = known.get(`${path} ${text}`) ?? { path, text };
      known.set(`${path} ${text}`, source);
      return [source];
    });
    return [...sources.slice(cut), ...sources.slice(0, cut)];
  };
}

const consenting = (text: string): string =>
  text.replace(/^ {2}scope: s\n/m, "$&  scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS\n");
