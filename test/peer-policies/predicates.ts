/** What rows of differences ask of a store and a request. */
import { sanitise } from "../../compiler/policy/names.ts";
import type { Difference } from "./compare.ts";
import { type Case, chainOf, matchesPattern, parentsOfDerived, type Reached, versionOf, withParents } from "./reach.ts";
import type { Row } from "./differences.ts";
import { lineage } from "./scopes.ts";
import type { File, Match, Output, Resource, Scoped, Store } from "./store.ts";

const textsOfMatch = (match: Match): readonly string[] => {
  if ("expr" in match) return [match.expr];
  const { of } = "all" in match ? match.all : "any" in match ? match.any : match.none;
  return of.flatMap(textsOfMatch);
};
export const textsOfOutput = (output: Output | undefined): readonly string[] =>
  [output?.expr, output?.when?.ruleActivated, output?.when?.conditionNotMet].filter((text) => text !== undefined);

/** Expressions of a rule: its condition, outputs, and those of the derived roles that it names. */
function textsOf(store: Store, { rule, derivedRoles, file }: Reached): readonly string[] {
  const imported = file.policy.resourcePolicy?.importDerivedRoles ?? [];
  const sets = store.files.flatMap(({ policy }) => policy.derivedRoles ?? []).filter(({ name }) => imported.includes(name));
  return [
    ...(rule.condition === undefined ? [] : textsOfMatch(rule.condition.match)),
    ...textsOfOutput(rule.output),
    ...sets
      .flatMap(({ definitions }) => definitions)
      .filter(({ name }) => derivedRoles.includes(name))
      .flatMap(({ condition }) => (condition === undefined ? [] : textsOfMatch(condition.match))),
  ];
}

/** Everything that the expressions of a rule come to read: their own texts, and those of all variables that they may name. */
export const read = (store: Store, reached: Reached): string => readFrom(store, reached.file, textsOf(store, reached));

function readFrom(store: Store, { policy }: File, own: readonly string[]): string {
  const definitions = [
    policy.variables,
    (policy.resourcePolicy ?? policy.principalPolicy ?? policy.rolePolicy)?.variables?.local,
    ...store.files.flatMap((file) => [file.policy.exportVariables?.definitions, file.policy.derivedRoles?.variables?.local]),
  ];
  const known = definitions.flatMap((each) => Object.entries(each ?? {}));
  const texts = new Set(own);
  for (const text of texts)
    for (const [name, definition] of known) if (new RegExp(`\\b(?:V|variables)\\.${name}\\b`).test(text)) texts.add(definition);
  // What is itself a variable is marked, so that a row can ask for those.
  return [...texts].map((text) => (own.includes(text) ? text : `variable: ${text}`)).join("\n");
}

export const actionOf = (difference: Difference): string | undefined => ("action" in difference ? difference.action : undefined);

/** About an action one of whose rules is of that sort; derived roles are those of all actions. */
export const anyRule =
  (sort: (rule: Reached, asked: Case, reached: readonly Reached[]) => boolean) =>
  (_: Difference, asked: Case, reached: readonly Reached[]): boolean =>
    reached.some((rule) => sort(rule, asked, reached));

export const only = (aspects: readonly Difference["aspect"][], explains: NonNullable<Row["explains"]>): NonNullable<Row["explains"]> => {
  return (difference, asked, reached) => aspects.includes(difference.aspect) && explains(difference, asked, reached);
};

/** The rules that an output may be of. */
export const ofSource = (difference: Difference, reached: readonly Reached[]): readonly Reached[] =>
  difference.aspect === "output" ? reached.filter(({ src }) => src === difference.src) : [];

export const sameWalk = (a: Reached, b: Reached): boolean => a.scope === b.scope && (a.type === "principal") === (b.type === "principal");

export const isRoleRule = ({ type, kindPattern }: Reached): boolean => type === "role" && kindPattern !== "";

/** Two rules of a role policy for different resources, of the same number there, have one result in 0.51. */
export const sharesResult = (one: Reached, other: Reached): boolean =>
  one.policyKey === other.policyKey && one.kindPattern !== other.kindPattern && one.indexInResource === other.indexInResource;

/** 0.51 reads the kind sanitised, the pattern of a principal policy sanitised and that of a role policy as written. */
export function readsKindOtherwise(type: Reached["type"], kindPattern: string, kind: string): boolean {
  if (type === "resource" || kindPattern === "") return false;
  const theirs = matchesPattern(type === "principal" ? sanitise(kindPattern) : kindPattern, sanitise(kind));
  const ours = matchesPattern(kindPattern, kind) || matchesPattern(sanitise(kindPattern), sanitise(kind));
  return ours !== theirs;
}

/** A role policy without a rule for the kind, at a scope that has rules for the kind, though for none of the roles. */
export function isNarrow(asked: Case, { file, scope, type, kindPattern }: Reached): boolean {
  const policy = file.policy.rolePolicy;
  if (type !== "role" || kindPattern !== "" || policy === undefined) return false;
  const { kind } = asked.entry.resource;
  const version = versionOf(asked, asked.entry.resource);
  if (policy.rules.some(({ resource }) => matchesPattern(resource, sanitise(kind)))) return false;
  const groups = asked.principal.roles.map((role) => withParents(asked, [role])).filter((group) => group.includes(policy.role));
  const rows = asked.store.files.flatMap(({ policy: { resourcePolicy, principalPolicy, rolePolicy, disabled } }) => {
    if (disabled === true) return [];
    // A rule of a principal policy is for no role; 0.51 does not ask for any.
    if (principalPolicy !== undefined && (principalPolicy.scope ?? "") === scope && principalPolicy.version === version)
      return principalPolicy.rules
        .filter(({ resource }) => matchesPattern(sanitise(resource), sanitise(kind)))
        .map((): readonly string[] => []);
    if (rolePolicy !== undefined && (rolePolicy.scope ?? "") === scope && (rolePolicy.version ?? "default") === version)
      return rolePolicy.rules.filter(({ resource }) => matchesPattern(resource, sanitise(kind))).map(() => [rolePolicy.role]);
    if (resourcePolicy === undefined || (resourcePolicy.scope ?? "") !== scope || resourcePolicy.version !== version) return [];
    if (sanitise(resourcePolicy.resource) !== sanitise(kind)) return [];
    // A policy without rules is there too.
    if (resourcePolicy.rules.length === 0) return [[]];
    return resourcePolicy.rules.map((rule) => [
      ...(rule.roles ?? []),
      ...(rule.derivedRoles ?? []).flatMap((name) => parentsOfDerived(asked.store, resourcePolicy, name)),
    ]);
  });
  return (
    rows.length > 0 && groups.some((group) => rows.every((patterns) => patterns.every((role) => role !== "*" && !group.includes(role))))
  );
}

export const hasConflict = (store: Store, by: "ours" | "theirs"): boolean => {
  const said = new Map<string, Set<string>>();
  for (const { policy } of store.files) {
    if (policy.disabled === true) continue;
    const scoped = policy.resourcePolicy ?? policy.principalPolicy;
    const counted: Scoped | undefined = scoped ?? (by === "theirs" ? (policy.rolePolicy ?? {}) : undefined);
    if (counted === undefined) continue;
    const nothing = by === "ours" ? "SCOPE_PERMISSIONS_OVERRIDE_PARENT" : "SCOPE_PERMISSIONS_UNSPECIFIED";
    const permission = counted.scopePermissions ?? nothing;
    const scope = said.get(counted.scope ?? "") ?? new Set();
    said.set(counted.scope ?? "", scope.add(permission === "SCOPE_PERMISSIONS_UNSPECIFIED" ? nothing : permission));
  }
  return [...said.values()].some((permissions) => permissions.size > 1);
};

/**
 * Whether a policy of a scope of the request's chain, of whatever kind, lacks an ancestor that a role policy makes up for:
 * where 0.51 drops it, the scope may not exist.
 */
export function lacksAncestor(asked: Case): boolean {
  const chain = chainOf(asked, asked.entry.resource);
  const policies = asked.store.files.flatMap(({ policy }) =>
    policy.resourcePolicy === undefined || policy.disabled === true ? [] : [policy.resourcePolicy],
  );
  return policies.some(
    ({ resource, version, scope = "" }) =>
      chain.includes(scope) &&
      [...lineage(scope), ""].some(
        (ancestor) =>
          !policies.some(
            (other) => (other.scope ?? "") === ancestor && other.version === version && sanitise(other.resource) === sanitise(resource),
          ),
      ),
  );
}

/** The names of all derived roles. */
export const derivedRolesOf = (store: Store): readonly string[] =>
  store.files.flatMap(({ policy }) => (policy.derivedRoles?.definitions ?? []).map(({ name }) => name));

/** Everything that the condition of a derived role comes to read. */
export function readByDerived(store: Store, role: string): string {
  return store.files
    .flatMap((file) => {
      const set = file.policy.derivedRoles;
      const conditions = (set?.definitions ?? []).filter(({ name }) => name === role).flatMap(({ condition }) => condition ?? []);
      return conditions.map((condition) => readFrom(store, file, textsOfMatch(condition.match)));
    })
    .join("\n");
}

export const globCharacters = /[?[\]{}]/;

/** Something that a rule of the action reads, or that a derived role does: the one in question, or any where a rule asks for them. */
export const anyText =
  (sort: (text: string) => boolean): NonNullable<Row["explains"]> =>
  (difference, { store }, reached) => {
    const texts = reached.map((rule) => read(store, rule));
    const asked = texts.some((text) => /\bruntime\b/.test(text)) ? derivedRolesOf(store) : [];
    const roles = difference.aspect === "derived roles" ? [difference.role] : asked;
    return [...texts, ...roles.map((role) => readByDerived(store, role))].some(sort);
  };

/** Says whether a variable reads an attribute that may be missing, or any where none are sent. */
export function readsWhatIsNotThere({ principal, entry }: Case, text: string): boolean {
  const isEmpty = ({ attr = {} }: Pick<Resource, "attr">): boolean => Object.keys(attr).length === 0;
  return (
    /^variable: .*R\.attr\.(?:absent|unsure[ .]|unsure$)/m.test(text) ||
    (isEmpty(entry.resource) && /^variable: .*R\.attr\./m.test(text)) ||
    (isEmpty(principal) && /^variable: .*P\.attr\./m.test(text))
  );
}
