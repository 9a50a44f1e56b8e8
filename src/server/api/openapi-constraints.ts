/** The constraints of request fields, for the Swagger document. They are enforced by runtime/wire and src/admin. */
import { ScalarType, type DescField } from "@bufbuild/protobuf";

/** The constraints of one field in the keywords of Swagger 2.0. */
export interface FieldConstraints {
  readonly required: boolean;
  /** The constraints of the list or map as a whole. */
  readonly list: { readonly [keyword: string]: number | boolean };
  /** The constraints of the value, or of each item. */
  readonly item: { readonly [keyword: string]: number | string };
}

/** The constraints of each field, in the words of the comments in the .proto files. */
const rules: { readonly [field: string]: string } = {
  "authz.request.v1.CheckResourcesRequest.principal": "required",
  "authz.request.v1.CheckResourcesRequest.resources": "required",
  "authz.request.v1.CheckResourcesRequest.ResourceEntry.actions": "required; no two alike; each not empty",
  "authz.request.v1.CheckResourcesRequest.ResourceEntry.resource": "required",
  "authz.request.v1.CheckResourceSetRequest.actions": "required; no two alike; each not empty",
  "authz.request.v1.CheckResourceSetRequest.principal": "required",
  "authz.request.v1.CheckResourceSetRequest.resource": "required",
  "authz.request.v1.ResourceSet.kind": "required",
  "authz.request.v1.ResourceSet.policy_version": "matches ^[\\w]*$",
  "authz.request.v1.ResourceSet.instances": "required",
  "authz.request.v1.ResourceSet.scope": "matches ^(^$|\\.|[0-9a-zA-Z][\\w\\-]*(\\.\\w[\\w\\-]*)*)$",
  "authz.request.v1.CheckResourceBatchRequest.principal": "required",
  "authz.request.v1.CheckResourceBatchRequest.resources": "required",
  "authz.request.v1.CheckResourceBatchRequest.BatchEntry.actions": "required; no two alike; each not empty",
  "authz.request.v1.CheckResourceBatchRequest.BatchEntry.resource": "required",
  "authz.request.v1.AuxData.JWT.token": "required",
  "authz.engine.v1.Principal.id": "required",
  "authz.engine.v1.Principal.policy_version": "matches ^[\\w]*$",
  "authz.engine.v1.Principal.roles": "required; no two alike; each not empty",
  "authz.engine.v1.Principal.scope": "matches ^(^$|\\.|[0-9a-zA-Z][\\w\\-]*(\\.\\w[\\w\\-]*)*)$",
  "authz.engine.v1.Resource.kind": "required",
  "authz.engine.v1.Resource.policy_version": "matches ^[\\w]*$",
  "authz.engine.v1.Resource.id": "required",
  "authz.engine.v1.Resource.scope": "matches ^(^$|\\.|[0-9a-zA-Z][\\w\\-]*(\\.\\w[\\w\\-]*)*)$",
  "authz.request.v1.AddOrUpdatePolicyRequest.policies": "required; at most 100",
  "authz.request.v1.ListPoliciesRequest.policy_id": "at most 25; each not empty",
  "authz.request.v1.InspectPoliciesRequest.policy_id": "at most 25; each not empty",
  "authz.request.v1.GetPolicyRequest.id": "required; no two alike; each not empty",
  "authz.request.v1.EnablePolicyRequest.id": "required; no two alike; each not empty",
  "authz.request.v1.DisablePolicyRequest.id": "required; at most 20; no two alike; each not empty",
  "authz.request.v1.DeletePolicyRequest.id": "required; at most 20; no two alike; each not empty",
  "authz.request.v1.AddOrUpdateSchemaRequest.schemas": "required; at most 100",
  "authz.request.v1.GetSchemaRequest.id": "required; no two alike; each not empty; each at most 255 characters",
  "authz.request.v1.DeleteSchemaRequest.id": "required; no two alike; each not empty; each at most 255 characters",
  "authz.schema.v1.Schema.id": "required; at most 255 characters",
  "authz.schema.v1.Schema.definition": "required",
  "authz.request.v1.ListAuditLogEntriesRequest.kind": "required",
  "authz.request.v1.ListAuditLogEntriesRequest.tail": "at most 1000; at least 1",
  "authz.request.v1.ListAuditLogEntriesRequest.lookup": "matches ^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{26}$",
};

/** Returns the constraints of a field. */
export function constraints(field: DescField): FieldConstraints {
  const words = rules[`${field.parent.typeName}.${field.name}`]?.split("; ") ?? [];
  const many = field.fieldKind === "list" || field.fieldKind === "map";
  const required = words.includes("required");
  return {
    required,
    list: {
      ...(required && field.fieldKind === "list" && { minItems: 1 }),
      ...(required && field.fieldKind === "map" && { minProperties: 1 }),
      ...(words.includes("no two alike") && { uniqueItems: true }),
      ...(field.fieldKind === "list" && numbered(words, /^at most (\d+)$/, "maxItems")),
    },
    item: {
      ...((words.includes("each not empty") || (required && isText(field))) && { minLength: 1 }),
      ...numbered(words, many ? /^each at most (\d+) characters$/ : /^at most (\d+) characters$/, "maxLength"),
      ...(!many && numbered(words, /^at most (\d+)$/, "maximum")),
      ...(!many && numbered(words, /^at least (\d+)$/, "minimum")),
      ...pattern(words),
    },
  };
}

const isText = (field: DescField): boolean => field.fieldKind === "scalar" && field.scalar === ScalarType.STRING;

function numbered(words: readonly string[], form: RegExp, keyword: string): { readonly [keyword: string]: number } {
  const [number] = words.flatMap((word) => form.exec(word)?.slice(1) ?? []);
  return number === undefined ? {} : { [keyword]: Number(number) };
}

function pattern(words: readonly string[]): { readonly pattern?: string } {
  const [found] = words.flatMap((word) => /^matches (.*)$/.exec(word)?.slice(1) ?? []);
  return found === undefined ? {} : { pattern: found };
}

/** Every field of the table with its words; a test compares them with the .proto files. */
export const constrainedFields = Object.entries(rules);
