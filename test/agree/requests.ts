/** Random requests that mostly hit what random policies speak of. */
import type { CheckInput, CheckOptions } from "../../runtime/decide/input.ts";
import type { Document } from "./policies.ts";
import type { Random } from "./random.ts";
import { actions, globals, kindsAsked, makeAttributes, roles, scopesAsked, versionsAsked } from "./vocabulary.ts";

/** Inputs that a server would answer together: one principal, several resources, one set of options. */
export interface Batch {
  readonly inputs: readonly CheckInput[];
  readonly settings: Settings;
}

export type Settings = Pick<CheckOptions, "strictEvaluation" | "lenientScopeSearch" | "defaultPolicyVersion">;

/** Makes one call: one principal and one to five resources, mostly of kinds and versions that `documents` speak of. */
export function makeBatch(random: Random, documents: readonly Document[]): Batch {
  const places = documents.flatMap(placeOf);
  const policyVersion = random.pick(versionsAsked);
  const principal: CheckInput["principal"] = {
    id: random.pick(["ann", "bob", "red"]),
    roles: random.some(1, 3, roles),
    ...(random.chance(0.9) && { attr: makeAttributes(random) }),
    ...(policyVersion !== undefined && { policyVersion }),
    ...(random.chance(0.05) && { scope: random.pick(scopesAsked) }),
  };
  const auxData = random.chance(0.7) ? { jwt: makeAttributes(random) } : { jwts: { main: { claims: makeAttributes(random) } } };
  const claims = random.chance(0.25) ? { auxData } : {};
  const inputs = random.several(1, 5, (): CheckInput => {
    const anywhere = { kind: random.pick(kindsAsked), version: random.pick(versionsAsked) };
    const { kind, version } = random.chance(0.95) ? random.pick(places) : anywhere;
    return {
      requestId: "request",
      principal,
      resource: {
        kind,
        id: random.pick(["r1", "ann", "ann/1"]),
        ...(random.chance(0.95) && { attr: makeAttributes(random) }),
        ...(version !== undefined && { policyVersion: version }),
        ...(random.chance(0.05) && { scope: random.pick(scopesAsked) }),
      },
      actions: random.some(1, 3, actions),
      ...claims,
    };
  });
  const settings = {
    strictEvaluation: random.chance(0.1),
    lenientScopeSearch: random.chance(0.2),
    defaultPolicyVersion: random.chance(0.05) ? "v2" : "default",
  };
  return { inputs, settings };
}

/** The kind and version of a resource policy, as a request may name them. */
function placeOf({ resourcePolicy }: Document): readonly { readonly kind: string; readonly version: string | undefined }[] {
  if (typeof resourcePolicy !== "object" || resourcePolicy === null || !("resource" in resourcePolicy)) return [];
  const { resource, version } = resourcePolicy;
  return typeof resource === "string" && typeof version === "string"
    ? [{ kind: resource, version: version === "default" ? undefined : version }]
    : [];
}

/** The options of one call, every setting given. */
export const optionsOf = (settings: Settings, evaluationErrors: boolean): CheckOptions => ({
  ...settings,
  evaluationErrors,
  globals,
  defaultScope: "",
  now: 1_709_208_000_123,
});
