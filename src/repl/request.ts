/**
 * The current request: parsed from JSON, checked against the fields that conditions know, edited, and converted to the input of a
 * check.
 */
import { policyEnvironment } from "../../compiler/cel/environment.ts";
import { didYouMean } from "../../compiler/nearest.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { parseTimestamp } from "../../runtime/cel/timestamp-text.ts";
import type { Json } from "../../runtime/cel/to-json.ts";
import type { Type } from "../../runtime/cel/type.ts";
import type { Timestamp } from "../../runtime/cel/value.ts";
import type { AuxData, CheckInput, Principal, Resource } from "../../runtime/decide/input.ts";
import { describe, isJsonObject } from "../../runtime/wire/json.ts";
import { isAccessEntry, recordedRequest } from "./decision-entry.ts";
import type { JsonMembers, RequestedResource, RequestState } from "./state.ts";

/** Why a request is invalid. */
export interface InvalidRequest {
  readonly message: string;
  readonly hint?: string;
}

/** Returns whether a result says why a request is invalid. */
export const isInvalid = (found: object): found is InvalidRequest => "message" in found && typeof found.message === "string";

/** Fields in the body of a check that mean nothing to conditions. */
const ignoredFields: ReadonlySet<string> = new Set([
  "requestId",
  "request_id",
  "includeMeta",
  "include_meta",
  "requestContext",
  "request_context",
  "actions",
]);

/** What was read of a file. */
export interface ReadRequest {
  readonly request: RequestState;
  /** What its reader should know. */
  readonly notes: readonly string[];
  /** When it was decided, if it was. */
  readonly now?: Timestamp;
}

/** Parses the body of a check, one principal with one resource, or a decision entry of the audit log. */
export function readRequestJson(json: Json): ReadRequest | InvalidRequest {
  const recorded = recordedRequest(json);
  if (recorded === undefined && isAccessEntry(json))
    return { message: "this is an access entry of the audit log, which has no request: take the decision entry with the same `callId`" };
  if (recorded === undefined) return readBody(json);
  const { request, timestamp, isOversized } = recorded;
  if (request["principal"] === undefined) return { message: "this entry has no request: the check failed before it was decided" };
  const read = readBody(request);
  if (isInvalid(read)) return read;
  const now = timestamp === undefined ? undefined : parseTimestamp(timestamp);
  const missing = "the entry was too large to be written with its attributes (setting audit.maxEntrySize): set them with `:let`";
  return {
    ...read,
    ...(now !== undefined && !(now instanceof EvalError) && { now }),
    notes: isOversized ? [...read.notes, missing] : read.notes,
  };
}

function readBody(json: Json): ReadRequest | InvalidRequest {
  if (!isJsonObject(json)) return { message: `a request must be an object, but this is ${describe(json)}` };
  const { resources, ...single } = json;
  const entries = resources === undefined ? [{ resource: single["resource"] ?? {}, actions: single["actions"] ?? [] }] : resources;
  if (!Array.isArray(entries) || entries.length === 0) return { message: "`resources` must be a list with at least one element" };
  if (resources !== undefined && single["resource"] !== undefined) return { message: "give either `resource` or `resources`, not both" };

  const { auxData, tokens } = withoutTokens(single["auxData"] ?? single["aux_data"]);
  const shared: JsonMembers = {
    ...Object.fromEntries(
      Object.entries(single).filter(([name]) => !ignoredFields.has(name) && !["resource", "auxData", "aux_data"].includes(name)),
    ),
    ...(auxData !== undefined && { auxData }),
  };
  const read: RequestedResource[] = [];
  let request: RequestState | undefined;
  for (const [at, entry] of entries.entries()) {
    const found = readEntry(entry, resources === undefined ? "" : `resources[${at}].`);
    if (isInvalid(found)) return found;
    const view = fromView({ ...shared, resource: found.resource });
    if (isInvalid(view)) return view;
    read.push({ ...found, resource: view.resources[0]?.resource ?? {} });
    request = view;
  }
  return request === undefined
    ? { message: "a request needs a resource" }
    : {
        request: { ...request, resources: read, at: 0 },
        notes: tokens ? ["tokens are not verified here: set their claims with `:let request.auxData.jwt = {...}`"] : [],
      };
}

function readEntry(entry: Json, where: string): RequestedResource | InvalidRequest {
  if (!isJsonObject(entry)) return { message: `\`${where || "request."}resource\` must be an object, but is ${describe(entry)}` };
  const unknown = Object.keys(entry).find((name) => name !== "resource" && name !== "actions");
  if (unknown !== undefined) return { message: `unknown field \`${where}${unknown}\``, ...didYouMean(unknown, ["resource", "actions"]) };
  const { resource = {}, actions = [] } = entry;
  if (!isJsonObject(resource)) return { message: `\`${where}resource\` must be an object, but is ${describe(resource)}` };
  if (!isStrings(actions)) return { message: `\`${where}actions\` must be a list of strings` };
  return { resource, actions };
}

/** Removes tokens, because they cannot be verified here; conditions see claims. */
function withoutTokens(auxData: Json | undefined): { readonly auxData?: Json; readonly tokens: boolean } {
  if (!isJsonObject(auxData)) return auxData === undefined ? { tokens: false } : { auxData, tokens: false };
  const isToken = (value: Json | undefined): boolean => isJsonObject(value) && typeof value["token"] === "string";
  const jwts = auxData["jwts"];
  const tokens = isToken(auxData["jwt"]) || (isJsonObject(jwts) && Object.values(jwts).some((each) => isToken(each)));
  return tokens ? { tokens } : { auxData, tokens };
}

/** Returns the parts of a request by the names in conditions, which `:let` changes. */
export const toView = ({ principal, resources, at, auxData }: RequestState): JsonMembers => ({
  principal,
  resource: resources[at]?.resource ?? {},
  ...(auxData !== undefined && { auxData }),
});

/** Converts the parts back to a request; the other resources of the previous request stay. */
export function fromView(view: Json, before?: RequestState): RequestState | InvalidRequest {
  const checked = checkType(view, { kind: "message", name: "request" }, "request");
  if ("invalid" in checked) return checked.invalid;
  const members = objectOf(checked.json);
  const { principal = {}, resource = {}, auxData } = members;
  const requested = { resource: objectOf(resource), actions: before?.resources[before.at]?.actions ?? [] };
  return {
    principal: objectOf(principal),
    resources: before?.resources.map((each, at) => (at === before.at ? requested : each)) ?? [requested],
    at: before?.at ?? 0,
    ...(auxData !== undefined && { auxData: objectOf(auxData) }),
  };
}

const objectOf = (json: Json | undefined): JsonMembers => (isJsonObject(json) ? json : {});
const isStrings = (json: Json | undefined): json is readonly string[] =>
  Array.isArray(json) && json.every((item) => typeof item === "string");

type CheckedJson = { readonly json: Json } | { readonly invalid: InvalidRequest };

/** Checks JSON against a type of the policy environment. Null counts as absent, and field names are normalised to one spelling. */
function checkType(json: Json, type: Type, where: string): CheckedJson {
  const wrong = (wanted: string): CheckedJson => ({ invalid: { message: `\`${where}\` must be ${wanted}, but is ${describe(json)}` } });
  switch (type.kind) {
    case "string":
      return typeof json === "string" ? { json } : wrong("a string");
    case "list":
      return isStrings(json) ? { json } : wrong("a list of strings");
    case "map":
      return isJsonObject(json) ? checkMembers(json, where, () => type.value) : wrong("an object");
    case "message":
      return isJsonObject(json)
        ? checkMembers(json, where, (name) => policyEnvironment.field(type.name, name), policyEnvironment.fieldNames(type.name))
        : wrong("an object");
    default:
      return { json };
  }
}

function checkMembers(
  json: JsonMembers,
  where: string,
  typeOf: (name: string) => Type | undefined,
  names?: readonly string[],
): CheckedJson {
  const members: (readonly [string, Json])[] = [];
  for (const [name, value] of Object.entries(json)) {
    const type = typeOf(name);
    if (type === undefined) {
      const known = names ?? [];
      const hint = didYouMean(name, known).hint ?? `the fields are ${known.map((each) => `\`${each}\``).join(", ")}`;
      return { invalid: { message: `unknown field \`${where}.${name}\``, hint } };
    }
    if (value === null && type.kind !== "dyn") continue;
    const checked = checkType(value, type, `${where}.${name}`);
    if ("invalid" in checked) return checked;
    const spelled = names === undefined || names.includes(name) ? name : camelCase(name);
    if (members.some(([other]) => other === spelled))
      return { invalid: { message: `\`${where}.${spelled}\` is given in both of its spellings` } };
    members.push([spelled, checked.json]);
  }
  return { json: Object.fromEntries(members) };
}

const camelCase = (field: string): string => field.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Returns the input of a check. The state was validated when it was set. */
export function inputOf({ principal, resources, at, auxData }: RequestState, actions?: readonly string[]): CheckInput {
  const requested = resources[at];
  const resource = requested?.resource ?? {};
  return {
    principal: { id: stringOrEmpty(principal["id"]), roles: isStrings(principal["roles"]) ? principal["roles"] : [], ...shared(principal) },
    resource: { kind: stringOrEmpty(resource["kind"]), id: stringOrEmpty(resource["id"]), ...shared(resource) },
    actions: actions ?? requested?.actions ?? [],
    ...(auxData !== undefined && { auxData: auxDataOf(auxData) }),
  };
}

const stringOrEmpty = (json: Json | undefined): string => (typeof json === "string" ? json : "");

/** Returns the optional fields that principals and resources share; empty ones are left out. */
function shared({ attr, policyVersion, scope }: JsonMembers): Pick<Principal & Resource, "attr" | "policyVersion" | "scope"> {
  return {
    ...(isJsonObject(attr) && { attr }),
    ...(typeof policyVersion === "string" && policyVersion !== "" && { policyVersion }),
    ...(typeof scope === "string" && scope !== "" && { scope }),
  };
}

function auxDataOf({ jwt, jwts }: JsonMembers): AuxData {
  if (!isJsonObject(jwts)) return isJsonObject(jwt) ? { jwt } : {};
  const named = Object.entries(jwts).map(([name, token]) => {
    const claims = isJsonObject(token) ? token["claims"] : undefined;
    return [name, { claims: isJsonObject(claims) ? claims : {} }] as const;
  });
  return { ...(isJsonObject(jwt) && { jwt }), jwts: Object.fromEntries(named) };
}
