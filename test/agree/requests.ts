/** Random calls: what a principal with random attributes may do to resources that the policies speak of. */
import type { CheckInput, CheckOptions, SchemaEnforcement } from "../../runtime/decide/input.ts";
import type { Document, Json } from "./document.ts";
import type { Random } from "./random.ts";
import {
  actions,
  globals,
  kindsAsked,
  makeAttributes,
  manyRoles,
  principalIds,
  roles,
  scopes,
  scopesNowhere,
  versionsAsked,
} from "./vocabulary.ts";

/** Inputs that a server would answer together: one principal, several resources, one set of options. */
export interface Batch {
  readonly inputs: readonly CheckInput[];
  readonly settings: Settings;
}

export type Settings = Pick<CheckOptions, "strictEvaluation" | "lenientScopeSearch" | "defaultPolicyVersion"> & {
  readonly defaultScope?: string;
  readonly schemas?: SchemaEnforcement["enforcement"];
};

/** What documents are about, as requests may name it. */
interface Place {
  readonly name: string;
  readonly version?: string;
  readonly scope: string;
}

/** Makes one call: one principal and one to five resources, mostly of kinds, versions and scopes that `documents` speak of. */
export function makeBatch(random: Random, documents: readonly Document[]): Batch {
  const resources = documents.flatMap((document) => placeOf(document, "resourcePolicy", "resource"));
  const principals = documents.flatMap((document) => placeOf(document, "principalPolicy", "principal"));
  const limits = documents.flatMap((document) => placeOf(document, "rolePolicy", "role"));
  const used = [...resources, ...principals, ...limits].map(({ scope }) => scope);

  const anyScope = (): string => random.pick(random.chance(0.3) ? scopesNowhere : scopes);
  const sides = (version: string | undefined, scope: string) => ({
    ...(version !== undefined && { policyVersion: version }),
    ...((scope !== "" || random.chance(0.1)) && { scope }),
  });
  const known = principals.length > 0 && random.chance(0.8) ? random.pick(principals) : undefined;
  const limit = limits.length > 0 && random.chance(0.6) ? random.pick(limits) : undefined;
  const others = random.some(limit === undefined ? 1 : 0, 4, [...roles, ...limits.map(({ name }) => name)]);
  const held =
    limit === undefined ? others : [...new Set(random.chance(0.7) ? [limit.name, ...others.slice(0, 1)] : [...others, limit.name])];
  const principal: CheckInput["principal"] = {
    id: known?.name ?? random.pick(principalIds),
    roles: random.chance(0.06) ? [...new Set([...held, random.pick(manyRoles)])] : held,
    ...(random.chance(0.9) && { attr: makeAttributes(random) }),
    ...sides(
      known !== undefined && random.chance(0.85) ? known.version : random.pick(versionsAsked),
      known !== undefined && random.chance(0.7) ? known.scope : random.chance(0.8) ? random.pick(used) : anyScope(),
    ),
  };
  const auxData = random.chance(0.7) ? { jwt: makeAttributes(random) } : { jwts: { main: { claims: makeAttributes(random) } } };
  const claims = random.chance(0.25) ? { auxData } : {};
  const inputs = random.several(1, 5, (): CheckInput => {
    const known = random.chance(0.93)
      ? random.pick(resources)
      : { name: random.pick(kindsAsked), version: random.pick(versionsAsked), scope: random.pick(used) };
    const { name, version, scope } = limit !== undefined && random.chance(0.5) ? { ...known, scope: limit.scope } : known;
    return {
      requestId: "request",
      principal,
      resource: {
        kind: random.chance(0.1) ? name.replace("-", "_") : name,
        id: random.pick(["r1", "ann", "ann/1"]),
        ...(random.chance(0.95) && { attr: makeAttributes(random) }),
        ...sides(version, random.chance(0.75) ? scope : random.chance(0.7) ? random.pick(used) : anyScope()),
      },
      actions: random.some(1, 3, actions),
      ...claims,
    };
  });
  const settings = {
    strictEvaluation: random.chance(0.15),
    lenientScopeSearch: random.chance(0.25),
    defaultPolicyVersion: random.chance(0.05) ? "v2" : "default",
    defaultScope: random.chance(0.08) ? random.pick(["acme", ".", "acme.hr", "nowhere"]) : "",
    ...(random.chance(0.25) && { schemas: random.pick(["warn", "reject"] as const) }),
  };
  return { inputs, settings };
}

/** Where a policy of one kind stands, if the document is one that counts. */
function placeOf(document: Document, part: string, named: string): readonly Place[] {
  const policy = document[part];
  if (!isObject(policy) || document["disabled"] === true) return [];
  const { [named]: name, version, scope = "" } = policy;
  if (typeof name !== "string" || typeof scope !== "string") return [];
  return [{ name, scope, ...(typeof version === "string" && version !== "default" && { version }) }];
}

const isObject = (json: Json | undefined): json is { readonly [key: string]: Json } =>
  typeof json === "object" && json !== null && !Array.isArray(json);

/** The options of one call, every setting given; `asked` is told of each schema that is asked for. */
export const optionsOf = (settings: Settings, naming: boolean, asked: SchemasAsked = () => {}): CheckOptions => {
  const { schemas, defaultScope = "", ...plain } = settings;
  return {
    ...plain,
    evaluationErrors: naming,
    effectivePolicies: naming,
    globals,
    defaultScope,
    now: 1_709_208_000_123,
    ...(schemas && { schemas: { enforcement: schemas, validate: requireAttribute(asked) } }),
  };
};

/** Is told which schema is asked for which attributes. */
export type SchemasAsked = (input: number, source: string, ref: string) => void;

/** Stands for a validator: the schema `state.json` wants an attribute `state`. */
const requireAttribute =
  (asked: SchemasAsked): SchemaEnforcement["validate"] =>
  (input, source, ref, attributes) => {
    asked(input, source, ref);
    const wanted = ref.replace(".json", "");
    return Object.hasOwn(attributes, wanted) ? [] : [{ path: "/", message: `there is no ${wanted}`, source }];
  };
