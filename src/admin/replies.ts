/** The replies of the administration API: the messages, which differ in one field between the transports, and refusals. */
import { byUnits } from "../../runtime/order.ts";
import { isJsonObject, type Json } from "../../runtime/wire/json.ts";
import type { RemovalConflict, PolicyText, RequestProblem, Refused, SchemaText } from "../compile/commands.ts";
import type { Call } from "../server/calls/call.ts";
import { codes, type CodeName, type Reply } from "../server/calls/reply.ts";

const ok = (message: object): Reply => ({ code: 0, text: JSON.stringify(message) });

/** The reply to AddOrUpdateSchema and ReloadStore: an empty message. */
export const nothing: Reply = ok({});
/** The reply to AddOrUpdatePolicy. */
export const policiesPut: Reply = ok({ success: {} });
/** The reply to ListPolicies; an empty list is printed too (D4). */
export const policyList = (ids: readonly string[]): Reply => ok({ policyIds: [...ids].sort(byUnits) });
/** The reply to GetPolicy, given policies as JSON. */
export const policiesFound = (policies: readonly PolicyText[]): Reply => ({
  code: 0,
  text: `{"policies":[${policies.map(({ text }) => text).join(",")}]}`,
});
/** The reply to EnablePolicy, DisablePolicy and DeletePolicy; zero is printed too (D4). */
export const policiesCounted = (field: "enabledPolicies" | "disabledPolicies" | "deletedPolicies", count: number): Reply =>
  ok({ [field]: count });
/** The reply to PurgeStoreRevisions; zero is printed too (D4). */
export const revisionsPurged = (affectedRows: number): Reply => ok({ affectedRows });
/** The reply to DeleteSchema; zero is printed too (D4). */
export const schemasDeleted = (deletedSchemas: number): Reply => ok({ deletedSchemas });
/** The reply to ListSchemas; an empty list is printed too (D4). */
export const schemaList = (ids: readonly string[]): Reply => ok({ schemaIds: [...ids].sort(byUnits) });
/** The reply to GetSchema. */
export const schemasFound = (schemas: readonly SchemaText[], transport: Call["transport"]): Reply =>
  ok({ schemas: schemas.map(({ id, text }) => ({ id, definition: transport === "http" ? definitionOf(text) : base64(text) })) });

const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");

/** Over HTTP a definition is an object (D3); a stored schema that is none is sent as base64. */
function definitionOf(text: string): Json {
  try {
    const json: Json = JSON.parse(text);
    if (isJsonObject(json)) return json;
  } catch {
    // It is not JSON.
  }
  return base64(text);
}

const codeOfRefusal: { readonly [Because in Refused["because"]]: CodeName } = {
  invalid: "INVALID_ARGUMENT",
  precondition: "FAILED_PRECONDITION",
  "read-only": "UNIMPLEMENTED",
  store: "INTERNAL",
  unavailable: "UNAVAILABLE",
};

/** The most problems in the message, and in the details. */
const maxNamed = 10;
const maxDetailed = 1000;

/**
 * Converts a refusal: a message, with every problem in the details (D6); for policies that cannot be removed, those that depend on
 * them.
 */
export function refusalReply({ because, isPassing, message, problems, broken }: Refused, call?: "Disable" | "Delete"): Reply {
  const { code } = codes[isPassing === true ? "ABORTED" : codeOfRefusal[because]];
  const named = problems
    .slice(0, maxNamed)
    .map(({ path, message: said }) => (path === "" || because === "precondition" ? said : `${path}: ${said}`));
  const more = problems.length - named.length;
  const said = named.length === 0 ? message : `${message}: ${named.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
  const detail =
    broken !== undefined && call !== undefined
      ? { "@type": `type.googleapis.com/authz.response.v1.${call}PolicyErrorDetails`, errors: errorsOf(broken) }
      : { "@type": "type.googleapis.com/buf.validate.Violations", violations: problems.slice(0, maxDetailed).map(violation) };
  return { code, text: JSON.stringify({ code, message: said, ...(problems.length > 0 && { details: [detail] }) }) };
}

// `fromEntries` defines own properties, so that an id `__proto__` is ordinary data.
const errorsOf = (broken: NonNullable<Refused["broken"]>): object =>
  Object.fromEntries(Object.entries(broken).map(([id, why]) => [id, errorOf(why)]));

const errorOf = (why: RemovalConflict): object =>
  why.kind === "scope chain"
    ? { breaksScopeChain: { descendants: why.descendants } }
    : { requiredByOtherPolicies: { dependents: why.dependents } };

/** Names the list of the request that holds the problem as the field: `policies`, `schemas` or `id`, each field 1 of its message. */
function violation({ path, code, message }: RequestProblem): object {
  const [, field, index] = /^(\w+)(?:\[(\d+)\])?/.exec(path) ?? [];
  const fieldType = field === "id" ? "TYPE_STRING" : "TYPE_MESSAGE";
  const element = field !== undefined && { fieldNumber: 1, fieldName: field, fieldType, ...(index !== undefined && { index }) };
  return { field: { elements: element ? [element] : [] }, fieldPath: path, ruleId: code, message };
}
