/** Random policy stores as documents that the real front end reads: all six kinds, in one tree of scopes. */
import { makeDefinitions } from "./definitions.ts";
import { document, type Document, type Json } from "./document.ts";
import { conditionText, expressionText, outputText } from "./expressions.ts";
import type { Names } from "./leaves.ts";
import { makePlan } from "./plan.ts";
import type { Random } from "./random.ts";
import { makeRules } from "./rules.ts";
import { addTwins } from "./twins.ts";
import { actionPatterns, attributeNames, kinds, parentRoles, principalIds, rolePatterns } from "./vocabulary.ts";

/** Says whether an expression compiles on its own; the names it may use are declared elsewhere. */
export type Accepts = (expression: string) => boolean;

/** Makes a policy store. */
export function makePolicies(random: Random, accepts: Accepts): readonly Document[] {
  const until =
    (write: (random: Random, names: Names) => string) =>
    (names: Names): string => {
      for (let attempt = 0; attempt < 50; attempt++) {
        const text = write(random, names);
        if (text.length < 2000 && accepts(text)) return text;
      }
      return "true";
    };
  const condition = until(conditionText);
  const { exportVariables, exportConstants, define } = makeDefinitions(random, condition, until(expressionText));
  const { resourceRules, principalRules, roleRules, conditioned } = makeRules(random, condition, until(outputText));
  const plan = makePlan(random);
  const kind = random.pick(plan.resources).name;

  const sets = random.some(0, 2, [
    { name: "set_one", roles: ["near", "far"] },
    { name: "set_two", roles: ["constructor", "deep"] },
  ]);
  const derivedRoleSet = (name: string, roles: readonly string[]): Document => {
    const { blocks, names } = define(name);
    const definitions = roles.map((role) => ({
      name: role,
      parentRoles: random.some(1, 3, rolePatterns),
      ...conditioned(0.8, names),
    }));
    return document("derivedRoles", { name, ...blocks, definitions });
  };

  /** What a scope may decide alone; to say nothing is to override. */
  const permissions = (scope: string): { readonly [part: string]: Json } =>
    plan.needsConsent(scope)
      ? { scopePermissions: "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS" }
      : random.chance(0.3)
        ? { scopePermissions: "SCOPE_PERMISSIONS_OVERRIDE_PARENT" }
        : {};
  const at = (scope: string): { readonly [part: string]: Json } => (scope === "" && random.chance(0.8) ? {} : { scope });

  const resourcePolicy = (resource: string, version: string, scope: string, several: boolean): Document => {
    const { blocks, names } = define("own");
    const imported = sets.filter(() => random.chance(0.8));
    const rules = random.chance(0.03) ? 0 : several ? 1 : 3;
    return document("resourcePolicy", {
      resource,
      version,
      ...at(scope),
      ...permissions(scope),
      ...(imported.length > 0 && { importDerivedRoles: imported.map((set) => set.name) }),
      ...blocks,
      ...(random.chance(0.15) && { schemas: schemas() }),
      rules: resourceRules(
        rules,
        several ? 5 : 9,
        imported.flatMap((set) => set.roles),
        names,
      ),
    });
  };

  const schemas = (): Json => {
    const reference = (): Json => ({
      ref: `${random.pick(attributeNames)}.json`,
      ...(random.chance(0.4) && { ignoreWhen: { actions: random.some(1, 3, [...actionPatterns, "{view,edit}"]) } }),
    });
    return random.pick([
      { principalSchema: reference() },
      { resourceSchema: reference() },
      { principalSchema: reference(), resourceSchema: reference() },
    ]);
  };

  const principalPolicy = (principal: string, version: string, scope: string): Document => {
    const { blocks, names } = define("own");
    return document("principalPolicy", {
      principal,
      version,
      ...at(scope),
      ...permissions(scope),
      ...blocks,
      rules: principalRules(kind, names),
    });
  };

  const rolePolicy = (role: string, version: string, scope: string, first: readonly Json[] = []): Document => {
    const { blocks, names } = define("own");
    const parents = random.some(random.chance(0.15) ? 0 : 1, 2, parentRoles);
    return document("rolePolicy", {
      role,
      ...((version !== "default" || random.chance(0.5)) && { version }),
      ...at(scope),
      ...(parents.length > 0 && { parentRoles: parents }),
      ...blocks,
      rules: [...first, ...roleRules(kind, names)],
    });
  };
  const anything = { resource: "*", allowActions: ["*"] };

  /** Policies that count for nothing: one that denies all, one that is there already. */
  const disabled = (): Document => {
    const rules = [{ actions: ["*"], roles: ["*"], effect: "EFFECT_DENY" }];
    const off = { disabled: true };
    return random.pick([
      document("resourcePolicy", { resource: random.pick(kinds), version: "default", scope: random.pick(plan.scopes), rules }, off),
      document(
        "principalPolicy",
        {
          principal: random.pick(principalIds),
          version: "default",
          rules: [{ resource: "*", actions: [{ action: "*", effect: "EFFECT_DENY" }] }],
        },
        off,
      ),
      document(
        "rolePolicy",
        { role: "user", scope: random.pick(plan.scopes), rules: [{ resource: "nowhere", allowActions: ["nothing"] }] },
        off,
      ),
    ]);
  };

  const several = plan.resources.reduce((count, { scopes }) => count + scopes.length, 0) > 3;
  const resources = plan.resources.flatMap(({ name, version, scopes }) =>
    scopes.map((scope) => resourcePolicy(name, version, scope, several)),
  );
  return [
    ...(random.chance(0.25) ? addTwins(random, resources) : resources),
    ...plan.principals.flatMap(({ name, version, scopes }) => scopes.map((scope) => principalPolicy(name, version, scope))),
    ...plan.limits.flatMap(({ name, version, scopes }) => scopes.map((scope) => rolePolicy(name, version, scope))),
    ...plan.stopgaps.flatMap(({ name, version, scopes }) => scopes.map((scope) => rolePolicy(name, version, scope, [anything]))),
    ...sets.map(({ name, roles }) => derivedRoleSet(name, roles)),
    ...(random.chance(0.1) ? [disabled()] : []),
    document("exportVariables", exportVariables),
    document("exportConstants", exportConstants),
  ];
}
