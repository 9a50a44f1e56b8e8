/** What a request can reach in a store: every rule that may be matched for an action, by either server, at each scope. */
import { sanitise } from "../../compiler/policy/names.ts";
import { matchesGlob } from "../../runtime/decide/glob.ts";
import { lineage } from "./scopes.ts";
import type { Entry, File, Principal, Resource, ResourcePolicy, Store, Told } from "./store.ts";

/** A rule that may be matched. */
export interface Reached {
  readonly file: File;
  readonly type: "principal" | "resource" | "role";
  readonly policyKey: string;
  readonly scope: string;
  /** As outputs say it: the policy's key and the rule's name, its own or the automatic one. */
  readonly src: string;
  readonly rule: Told;
  /** Satisfied, or for what a scope may not allow by itself: not satisfied, it denies. */
  readonly denies: boolean;
  readonly derivedRoles: readonly string[];
  /** The patterns of roles, or of the kind, that it was matched by. */
  readonly rolePatterns: readonly string[];
  readonly kindPattern: string;
  readonly actionPatterns: readonly string[];
  /** Of a role policy: the rule's number among those of its resource. */
  readonly indexInResource: number;
}

/** One input of a request, and the settings under which it is decided. */
export interface Case {
  readonly store: Store;
  readonly principal: Principal;
  readonly entry: Entry;
}

const keyOf = (type: string, name: string, version: string, scope: string): string =>
  `${type}.${sanitise(name)}.v${sanitise(version)}${scope === "" ? "" : `/${scope}`}`;

/** A pattern as 0.51 and we read it for actions and kinds. */
export const matchesPattern = (pattern: string, text: string): boolean =>
  pattern.includes("*") ? matchesGlob(pattern, text) : pattern === text;

const present = (store: Store): readonly File[] => store.files.filter(({ policy }) => policy.disabled !== true);

export const versionOf = ({ store }: Case, { policyVersion = "" }: Principal | Resource): string =>
  policyVersion === "" ? store.settings.defaultPolicyVersion : policyVersion;

export function scopeOf({ store }: Case, { scope = "" }: Principal | Resource): string {
  const used = scope === "" ? store.settings.defaultScope : scope;
  return used.startsWith(".") ? used.slice(1) : used;
}

/** The scopes that are walked for the principal or the resource, missing ancestors left in. */
export function chainOf(asked: Case, of: Principal | Resource): readonly string[] {
  const scope = scopeOf(asked, of);
  return [...lineage(scope), ""];
}

/** The principal's roles and all their parents at the resource's scope. */
export const rolesOf = (asked: Case): readonly string[] => withParents(asked, asked.principal.roles);

/** Some roles, and all their parents at the resource's scope. */
export function withParents(asked: Case, of: readonly string[]): readonly string[] {
  const scope = scopeOf(asked, asked.entry.resource);
  const parents = new Map<string, string[]>();
  for (const { policy } of present(asked.store)) {
    if (policy.rolePolicy === undefined || (policy.rolePolicy.scope ?? "") !== scope) continue;
    const known = parents.get(policy.rolePolicy.role) ?? [];
    parents.set(policy.rolePolicy.role, [...known, ...(policy.rolePolicy.parentRoles ?? [])]);
  }
  const all = new Set(of);
  for (const role of all) for (const parent of parents.get(role) ?? []) all.add(parent);
  return [...all];
}

export const requires = (file: File): boolean => {
  const { resourcePolicy, principalPolicy } = file.policy;
  return (resourcePolicy ?? principalPolicy)?.scopePermissions === "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS";
};

/** Whether a role pattern may be taken to match one of the roles: as a glob, or literally. */
const matchesRole = (pattern: string, roles: readonly string[]): boolean =>
  roles.some((role) => pattern === role || matchesPattern(pattern, role));

/** The roles that a derived role needs, where the policy imports it. */
export function parentsOfDerived(store: Store, policy: ResourcePolicy, name: string): readonly string[] {
  const imported = policy.importDerivedRoles ?? [];
  return present(store).flatMap(({ policy: { derivedRoles } }) =>
    derivedRoles === undefined || !imported.includes(derivedRoles.name)
      ? []
      : derivedRoles.definitions.filter((definition) => definition.name === name).flatMap((definition) => definition.parentRoles),
  );
}

/** Kinds under any reading: as written, sanitised, or both. */
export function matchesKindSomehow(pattern: string, kind: string): boolean {
  return [pattern, sanitise(pattern)].some((asked) => [kind, sanitise(kind)].some((text) => matchesPattern(asked, text)));
}

/** Every rule that an action may match, whatever its condition and wherever the walk ends. */
export function reach(asked: Case, action: string): readonly Reached[] {
  const roles = rolesOf(asked);
  const chains = { principal: chainOf(asked, asked.principal), resource: chainOf(asked, asked.entry.resource) };
  return present(asked.store).flatMap((file) => [
    ...reachResource(asked, file, action, roles, chains.resource),
    ...reachPrincipal(asked, file, action, chains.principal),
    ...reachRole(asked, file, action, roles, chains.resource),
  ]);
}

const matchesAction = (patterns: readonly string[], action: string): boolean => patterns.some((pattern) => matchesPattern(pattern, action));

function reachResource(asked: Case, file: File, action: string, roles: readonly string[], chain: readonly string[]): readonly Reached[] {
  const policy = file.policy.resourcePolicy;
  if (policy === undefined || !chain.includes(policy.scope ?? "")) return [];
  const { version = "", scope = "" } = policy;
  if (version !== versionOf(asked, asked.entry.resource) || sanitise(policy.resource) !== sanitise(asked.entry.resource.kind)) return [];
  return policy.rules.flatMap((rule, index): readonly Reached[] => {
    const rolePatterns = [
      ...(rule.roles ?? []),
      ...(rule.derivedRoles ?? []).flatMap((name) => parentsOfDerived(asked.store, policy, name)),
    ].filter((pattern) => matchesRole(pattern, roles));
    if (rolePatterns.length === 0 || !matchesAction(rule.actions, action)) return [];
    const policyKey = keyOf("resource", policy.resource, version, scope);
    return [
      {
        file,
        type: "resource",
        policyKey,
        scope,
        src: `${policyKey}#${rule.name ?? `rule-${String(index + 1).padStart(3, "0")}`}`,
        rule,
        denies: rule.effect === "EFFECT_DENY" || (requires(file) && rule.condition !== undefined),
        derivedRoles: rule.derivedRoles ?? [],
        rolePatterns,
        kindPattern: policy.resource,
        actionPatterns: rule.actions,
        indexInResource: index,
      },
    ];
  });
}

function reachPrincipal(asked: Case, file: File, action: string, chain: readonly string[]): readonly Reached[] {
  const policy = file.policy.principalPolicy;
  if (policy === undefined || !chain.includes(policy.scope ?? "")) return [];
  const { version = "", scope = "" } = policy;
  const versions = [versionOf(asked, asked.entry.resource), versionOf(asked, asked.principal)];
  if (!versions.includes(version) || sanitise(policy.principal) !== sanitise(asked.principal.id)) return [];
  const policyKey = keyOf("principal", policy.principal, version, scope);
  return policy.rules.flatMap((block) =>
    !matchesKindSomehow(block.resource, asked.entry.resource.kind)
      ? []
      : block.actions.flatMap((rule, index): readonly Reached[] =>
          !matchesPattern(rule.action, action)
            ? []
            : [
                {
                  file,
                  type: "principal",
                  policyKey,
                  scope,
                  src: `${policyKey}#${rule.name ?? `${block.resource}_rule-${String(index + 1).padStart(3, "0")}`}`,
                  rule,
                  denies: rule.effect === "EFFECT_DENY" || (requires(file) && rule.condition !== undefined),
                  derivedRoles: [],
                  rolePatterns: [],
                  kindPattern: block.resource,
                  actionPatterns: [rule.action],
                  indexInResource: index,
                },
              ],
        ),
  );
}

/** A role policy denies whatever it does not allow, so it is reached for every action: by all rules of the kind, or by none. */
function reachRole(asked: Case, file: File, action: string, roles: readonly string[], chain: readonly string[]): readonly Reached[] {
  const policy = file.policy.rolePolicy;
  if (policy === undefined || !chain.includes(policy.scope ?? "") || !roles.includes(policy.role)) return [];
  const { version = "default", scope = "" } = policy;
  if (version !== versionOf(asked, asked.entry.resource)) return [];
  const policyKey = keyOf("role", policy.role, version, scope);
  const shape = { file, type: "role", policyKey, scope, denies: true, derivedRoles: [], rolePatterns: [policy.role] } as const;
  const nothing: Reached = { ...shape, src: `${policyKey}#`, rule: {}, kindPattern: "", actionPatterns: [], indexInResource: -1 };
  const met = new Map<string, number>();
  const matched = policy.rules.flatMap((rule): readonly Reached[] => {
    const indexInResource = met.get(rule.resource) ?? 0;
    met.set(rule.resource, indexInResource + 1);
    const matches =
      matchesKindSomehow(rule.resource, asked.entry.resource.kind) &&
      rule.allowActions.some((pattern) => pattern === action || matchesGlob(pattern, action));
    return matches
      ? [
          {
            ...shape,
            src: `${policyKey}#${rule.name ?? ""}`,
            rule,
            kindPattern: rule.resource,
            actionPatterns: rule.allowActions,
            indexInResource,
          },
        ]
      : [];
  });
  return [nothing, ...matched];
}
