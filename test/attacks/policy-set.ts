/** A real policy set, compiled, with a place in it for a foreign program; and what is asked of it. */
import { createHash } from "node:crypto";
import { compile } from "../../compiler/index.ts";
import type { Bundle } from "../../runtime/bundle.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

const resource = (name: string, rules: string): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${name}
  version: default
  importDerivedRoles: [people]
  variables: { local: { mine: R.attr.owner == P.id, kinds: "type(R.attr.size) == int || type(R.attr.size) == double" } }
  rules:
${rules}`;

const rule = (action: string, condition: string): string =>
  `    - { actions: [${action}], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: '${condition}' } } }\n`;

/** The honest units use what a poisoned runtime would answer otherwise. */
const conditions: readonly (readonly [action: string, condition: string])[] = [
  ["read", "V.mine || R.attr.shared"],
  ["match", 'R.attr.name.matches("^a.c$")'],
  ["list", "P.attr.teams.exists(t, t == R.attr.team) && P.attr.teams.size() == 2"],
  ["under", 'hierarchy(R.attr.path).descendentOf(hierarchy("a.b")) && hierarchy(R.attr.path) != hierarchy("a.b.d")'],
  ["typed", "V.kinds && type(R.attr.name) == string && type([1]) != type({})"],
  ["optional", 'R.attr.?absent.orValue("x") == "x" && !R.attr.?absent.hasValue() && type(R.attr.size) != string'],
  ["zoned", 'now().getHours("Europe/Berlin") == 1 && timestamp("2024-06-01T12:00:00Z").getHours("America/New_York") == 8'],
  ["timed", 'now() == timestamp("1970-01-01T00:00:00Z")'],
  ["sorted", "[3, 1, 2].sort() == [1, 2, 3] && [1, 2].map(n, n + 1) == [2, 3]"],
  [
    "address",
    'R.attr.address.inIPAddrRange("10.0.0.0/8") && ip(R.attr.address) != ip("10.1.2.4") && cidr("10.0.0.0/8").containsIP(ip(R.attr.address))',
  ],
  ["counted", "uint(3) + uint(4) == uint(7) && 7 / 2 == 3 && size(R.attr.name) == 3"],
  ["held", '"user" in request.principal.roles && !("admin" in request.principal.roles)'],
  [
    "spiffe",
    'spiffeID("spiffe://" + R.attr.name + "/x").isMemberOf(spiffeTrustDomain("abc")) && spiffeID("spiffe://" + R.attr.name + "/x") != spiffeID("spiffe://abc/y")',
  ],
  ["global", 'G.place == "here"'],
];

const people = `apiVersion: api.authz.dev/v1
derivedRoles:
  name: people
  definitions:
    - { name: owner, parentRoles: [user], condition: { match: { expr: R.attr.owner == P.id } } }
    - { name: chief, parentRoles: [admin] }
`;

const honestRules =
  conditions.map(([action, condition]) => rule(action, condition)).join("") +
  `    - { actions: [own], effect: EFFECT_ALLOW, derivedRoles: [owner], output: { when: { ruleActivated: '"by " + P.id' } } }
    - { actions: [rule], effect: EFFECT_ALLOW, derivedRoles: [chief] }
    - { actions: [admin], effect: EFFECT_ALLOW, roles: [admin] }
`;

const principal = `apiVersion: api.authz.dev/v1
principalPolicy:
  principal: eve
  version: default
  rules:
    - resource: "*"
      actions: [{ action: nothing, effect: EFFECT_ALLOW }]
`;

const compiled = compile(
  [
    { path: "note.yaml", text: resource("note", honestRules) },
    { path: "memo.yaml", text: resource("memo", rule("read", "V.mine")) },
    { path: "eve.yaml", text: principal },
    { path: "people.yaml", text: people },
  ],
  { digest },
);
const honest = compiled.compiled?.bundle;
if (honest === undefined) throw new Error(`the policy set of this test does not compile: ${JSON.stringify(compiled.diagnostics)}`);

const memos: ReadonlySet<string> = new Set(["resource memo@default"]);

/** The units whose program an attack takes the place of that itself says nothing: a principal's is asked before any other. */
export const memosAndEve: ReadonlySet<string> = new Set([...memos, "principal eve@default"]);

/** The honest set, every unit under another digest than before: what a poisoned realm has kept is not used again. */
export function afresh(turn: number): Bundle {
  const shapes = Object.entries(honestBundle.shapes).map(([name, text]) => [`${name}/${turn}`, text] as const);
  const units = honestBundle.units.map((unit) => ({ ...unit, digest: `${unit.digest}/${turn}`, shape: `${unit.shape}/${turn}` }));
  return { manifest: { ...honestBundle.manifest, digest: digest(`afresh ${turn}`) }, shapes: Object.fromEntries(shapes), units };
}

/** The set, with a program in the place of the memos' policy, or of others. */
export function attackedBy(program: string, places: ReadonlySet<string> = memos): Bundle {
  const shape = digest(program);
  const units = honestBundle.units.map((unit) => (places.has(unit.id) ? { ...unit, shape, digest: digest(unit.id + program) } : unit));
  return { manifest: { ...honestBundle.manifest, digest: shape }, shapes: { ...honestBundle.shapes, [shape]: program }, units };
}

/** The honest set. */
export const honestBundle: Bundle = honest;

/** The text of a real unit's program, as the compiler printed it. */
export const realProgram: string = (() => {
  const unit = honest.units.find(({ id }) => id === "resource note@default");
  return honest.shapes[unit?.shape ?? ""] ?? "";
})();

/** Settings of the realms: the host is told all decisions, for the record. */
export const settings = JSON.stringify({ tells: "decisions", globals: { place: "here" } });

const actions = [...conditions.map(([action]) => action), "own", "rule", "admin"];

const attr = {
  owner: "ann",
  shared: false,
  name: "abc",
  team: "red",
  size: 4,
  address: "10.1.2.3",
  path: "a.b.c",
  nested: { deep: [1, { a: "b" }] },
};

const entry = (kind: string, id: string): object => ({
  actions: kind === "memo" ? ["read", "list"] : actions,
  resource: { kind, id, attr: { ...attr } },
});

const body = (id: string, resources: readonly object[], roles: readonly string[] = ["user"]): string =>
  JSON.stringify({ includeMeta: true, principal: { id, roles, attr: { teams: ["red", "blue"] } }, resources });

/** Asks the attacked unit alone. */
export const toAttacker = body("ann", [{ actions: ["read"], resource: { kind: "memo", id: "1", attr } }]);

/** Asks honest units alone. */
export const toHonest = [
  body("ann", [entry("note", "1")]),
  body("bob", [entry("note", "2"), entry("note", "3")], ["user", "admin"]),
] as const;

/** Asks the attacked unit and honest ones in one breath: of the same resources, and of others. */
export const toBoth = [
  body("ann", [entry("memo", "1"), entry("note", "2"), entry("memo", "3"), entry("note", "4")]),
  body("eve", [entry("note", "1")]),
] as const;
