/** Other packages that decide, given the rules of `leave-request.ts` in their own words; those that are not installed are told by name. */
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { CheckInput } from "../../runtime/decide/input.ts";
import type { Contestant } from "./contestant.ts";
import type { Question } from "./leave-request.ts";

/** Where the packages are: `npm run bench -- decide --install` puts them here. */
export const peersFolder = resolve(process.env["AUTHZ_BENCH_PEERS"] ?? "bench/peers");

/** What of the packages is called here. */
interface Casl {
  readonly createMongoAbility: (rules: readonly CaslRule[]) => { readonly can: (action: string, about: unknown) => boolean };
  readonly subject: (kind: string, attributes: object) => unknown;
}
interface CaslRule {
  readonly action: string | readonly string[];
  readonly subject: string;
  readonly conditions?: { readonly [attribute: string]: unknown };
}
interface Casbin {
  readonly newModelFromString: (text: string) => unknown;
  readonly newEnforcer: (model: unknown) => Promise<{
    readonly addFunction: (name: string, means: (...values: readonly never[]) => unknown) => Promise<void>;
    readonly getModel: () => { readonly addPolicy: (section: string, type: string, rule: readonly string[]) => boolean };
    readonly enforceSync: (...asked: readonly unknown[]) => boolean;
  }>;
}
interface CedarAnswer {
  readonly type: string;
  readonly response?: { readonly decision: string };
}
interface Cedar {
  readonly preparsePolicySet: (id: string, policies: { readonly staticPolicies: string }) => CedarAnswer;
  readonly statefulIsAuthorized: (call: object) => CedarAnswer;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const attributesOf = ({ principal, resource }: CheckInput) => ({ asks: principal.attr ?? {}, about: resource.attr ?? {} });

/** Conditions on the principal cannot be said, and `view:*` neither: both are spelt out for the one who asks. */
function caslRules({ principal }: CheckInput, kinds: readonly string[]): readonly CaslRule[] {
  const { id, roles, attr = {} } = principal;
  const geography = attr["geography"];
  const manages = roles.includes("manager") && geography !== undefined && geography === attr["managed_geographies"];
  const deletes = manages && geography === "GB" && text(attr["ip_address"]).startsWith("10.20.");
  return kinds.flatMap((subject): readonly CaslRule[] => [
    ...(roles.includes("admin") ? [{ action: "manage", subject }] : []),
    ...(roles.includes("employee")
      ? [
          { action: ["create", "view:public", "view:private"], subject, conditions: { owner: id } },
          { action: "view:public", subject },
        ]
      : []),
    ...(manages
      ? [
          { action: ["view:public", "view:private"], subject, conditions: { geography } },
          { action: "approve", subject, conditions: { geography, status: "PENDING_APPROVAL" } },
        ]
      : []),
    ...(deletes ? [{ action: "delete", subject, conditions: { geography } }] : []),
  ]);
}

const casl = ({ createMongoAbility, subject }: Casl): readonly Contestant[] => [
  {
    name: "CASL, the ability kept",
    // For each who asks, as a session would have it.
    prepare: async (kinds) => {
      const abilities = new Map<string, ReturnType<Casl["createMongoAbility"]>>();
      return ({ input, action }) => {
        const ability = abilities.get(input.principal.id) ?? createMongoAbility(caslRules(input, kinds));
        abilities.set(input.principal.id, ability);
        const about = subject(input.resource.kind, { ...input.resource.attr });
        return () => ability.can(action, about);
      };
    },
  },
  {
    name: "CASL, built for each decision",
    prepare:
      async (kinds) =>
      ({ input, action }) => {
        const about = subject(input.resource.kind, { ...input.resource.attr });
        return () => createMongoAbility(caslRules(input, kinds)).can(action, about);
      },
  },
];

const casbinModel = `[request_definition]
r = sub, obj, act
[policy_definition]
p = role, kind, act, cond
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = r.obj.kind == p.kind && hasRole(r.sub, p.role) && keyMatch(r.act, p.act) && eval(p.cond)`;
const casbinOwns = "r.obj.attr.owner == r.sub.id";
const casbinManages = "r.sub.attr.geography == r.obj.attr.geography && r.obj.attr.geography == r.sub.attr.managed_geographies";

const casbin = ({ newModelFromString, newEnforcer }: Casbin): readonly Contestant[] => [
  {
    name: "casbin",
    prepare: async (kinds) => {
      const enforcer = await newEnforcer(newModelFromString(casbinModel));
      await enforcer.addFunction("hasRole", (who: CheckInput["principal"], role: string) => who.roles.includes(role));
      await enforcer.addFunction("placeOf", (who: CheckInput["principal"]) =>
        text(who.attr?.["ip_address"]).startsWith("10.20.") ? "GB" : "",
      );
      const add = (...rule: readonly string[]): unknown => enforcer.getModel().addPolicy("p", "p", rule);
      for (const kind of kinds) {
        add("admin", kind, "*", "1 == 1");
        add("employee", kind, "create", casbinOwns);
        add("employee", kind, "view:*", casbinOwns);
        add("manager", kind, "view:*", casbinManages);
        add("employee", kind, "view:public", "1 == 1");
        add("manager", kind, "approve", `${casbinManages} && r.obj.attr.status == "PENDING_APPROVAL"`);
        add("manager", kind, "delete", `${casbinManages} && r.obj.attr.geography == placeOf(r.sub)`);
      }
      return ({ input: { principal, resource }, action }) =>
        () =>
          enforcer.enforceSync(principal, resource, action);
    },
  },
];

const cedarManages =
  "principal has managed_geographies && resource.geography == principal.geography && resource.geography == principal.managed_geographies";
const cedarPolicy = (kind: string): string => `
permit(principal in Role::"admin", action, resource is ${kind});
permit(principal in Role::"employee", action in [Action::"create", Action::"view:private", Action::"view:public"], resource is ${kind}) when { resource.owner == principal.id };
permit(principal in Role::"manager", action in [Action::"view:private", Action::"view:public"], resource is ${kind}) when { ${cedarManages} };
permit(principal in Role::"employee", action == Action::"view:public", resource is ${kind});
permit(principal in Role::"manager", action == Action::"approve", resource is ${kind}) when { ${cedarManages} && resource.status == "PENDING_APPROVAL" };
permit(principal in Role::"manager", action == Action::"delete", resource is ${kind}) when { ${cedarManages} && principal has ip_address && ip(principal.ip_address).isInRange(ip("10.20.0.0/16")) && resource.geography == "GB" };`;

function cedarCall({ input, action }: Question): object {
  const { principal, resource } = input;
  const { asks, about } = attributesOf(input);
  const [who, what] = [
    { type: "User", id: principal.id },
    { type: resource.kind, id: resource.id },
  ];
  const entities = [
    { uid: who, attrs: { id: principal.id, ...asks }, parents: principal.roles.map((id) => ({ type: "Role", id })) },
    { uid: what, attrs: about, parents: [] },
  ];
  return { principal: who, action: { type: "Action", id: action }, resource: what, context: {}, entities };
}

const cedar = (library: Cedar): readonly Contestant[] => [
  {
    name: "cedar-wasm, policies parsed before",
    prepare: async (kinds) => {
      const id = `policies-${kinds.length}`;
      const parsed = library.preparsePolicySet(id, { staticPolicies: kinds.map(cedarPolicy).join("") });
      if (parsed.type !== "success") throw new Error(`cedar refuses the policies: ${JSON.stringify(parsed)}`);
      return (question) => {
        const call = { ...cedarCall(question), preparsedPolicySetId: id };
        return () => library.statefulIsAuthorized(call).response?.decision === "allow";
      };
    },
  },
];

const packages: readonly (readonly [name: string, entry: string, open: (library: never) => readonly Contestant[]])[] = [
  ["@casl/ability", "@casl/ability", casl],
  ["casbin", "casbin", casbin],
  ["@cedar-policy/cedar-wasm", "@cedar-policy/cedar-wasm/nodejs", cedar],
];

/** The contestants whose packages are installed, and the names of the packages that are not. */
export function findPeers(): { readonly peers: readonly Contestant[]; readonly absent: readonly string[] } {
  const require = createRequire(join(peersFolder, "package.json"));
  const peers: Contestant[] = [];
  const absent: string[] = [];
  for (const [name, entry, open] of packages) {
    const manifest = join(peersFolder, "node_modules", name, "package.json");
    if (!existsSync(manifest)) {
      absent.push(name);
      continue;
    }
    const { version }: { readonly version: string } = require(manifest);
    for (const contestant of open(require(entry) as never)) peers.push({ ...contestant, version });
  }
  return { peers, absent };
}
