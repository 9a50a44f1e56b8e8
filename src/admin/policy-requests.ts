/**
 * Parses the requests about policies: AddOrUpdatePolicy, whose policies the compiler parses later, and those that name or filter
 * policies.
 */
import type { Field } from "../../runtime/wire/field.ts";
import type { Json } from "../../runtime/wire/json.ts";
import { readFlag, readText, root, reportViolation, type Reading } from "../../runtime/wire/reading.ts";
import type { PolicyFilter } from "../compile/commands.ts";
import { patternProblem } from "./patterns.ts";
import { readEntries, readIds, readRequest, readWholeNumber, refuseUnknownFields, type ParsedRequest } from "./read-request.ts";
import type { CallRequestText } from "../server/calls/call.ts";

const fields = {
  policies: { fieldNumber: 1, fieldName: "policies", fieldType: "TYPE_MESSAGE" },
  id: { fieldNumber: 1, fieldName: "id", fieldType: "TYPE_STRING" },
  nameRegexp: { fieldNumber: 2, fieldName: "name_regexp", fieldType: "TYPE_STRING" },
  scopeRegexp: { fieldNumber: 3, fieldName: "scope_regexp", fieldType: "TYPE_STRING" },
  versionRegexp: { fieldNumber: 4, fieldName: "version_regexp", fieldType: "TYPE_STRING" },
  policyId: { fieldNumber: 5, fieldName: "policy_id", fieldType: "TYPE_STRING" },
} as const satisfies { readonly [name: string]: Field };

/** The most ids in one request to disable or delete. */
const maxIds = 20;
/** The most ids in a filter. */
const maxFiltered = 25;

/** Parses an AddOrUpdatePolicy request: each policy as JSON. */
export const readPutPolicies = (received: CallRequestText): ParsedRequest<readonly string[]> =>
  readRequest(received, (reading, request) => {
    refuseUnknownFields(reading, root, request, ["policies"]);
    return readEntries(reading, fields.policies, { name: "policies", value: request["policies"], one: "policy" }, (policy) =>
      JSON.stringify(policy),
    );
  });

/** Parses the ids of a GetPolicy or EnablePolicy request. */
export const readPolicyIds = (received: CallRequestText): ParsedRequest<readonly string[]> => readIdsUpTo(received);

/** Parses the ids of a DisablePolicy or DeletePolicy request. */
export const readFewPolicyIds = (received: CallRequestText): ParsedRequest<readonly string[]> => readIdsUpTo(received, maxIds);

const readIdsUpTo = (received: CallRequestText, most?: number): ParsedRequest<readonly string[]> =>
  readRequest(received, (reading, request) => {
    refuseUnknownFields(reading, root, request, ["id"]);
    const limits = { required: true, unique: true, ...(most !== undefined && { most }) };
    return readIds(reading, fields.id, { name: "id", value: request["id"], ...limits });
  });

/** Parses a ListPolicies or InspectPolicies request. */
export const readPolicyFilter = (received: CallRequestText): ParsedRequest<PolicyFilter> =>
  readRequest(received, (reading, request) => {
    refuseUnknownFields(reading, root, request, ["includeDisabled", "nameRegexp", "scopeRegexp", "versionRegexp", "policyId"]);
    const name = readPattern(reading, request, "nameRegexp");
    const scope = readPattern(reading, request, "scopeRegexp");
    const version = readPattern(reading, request, "versionRegexp");
    return {
      includeDisabled: readFlag(reading, root, "includeDisabled", request["includeDisabled"]),
      ...(name !== "" && { name }),
      ...(scope !== "" && { scope }),
      ...(version !== "" && { version }),
      ids: readIds(reading, fields.policyId, { name: "policyId", value: request["policyId"], most: maxFiltered }),
    };
  });

/** Parses a ReloadStore request: whether to answer only when the new state is in force. */
export const readReload = (received: CallRequestText): ParsedRequest<boolean> =>
  readRequest(received, (reading, request) => {
    refuseUnknownFields(reading, root, request, ["wait"]);
    return readFlag(reading, root, "wait", request["wait"]);
  });

/** Parses a PurgeStoreRevisions request: how many revisions of each policy to keep. */
export const readPurge = (received: CallRequestText): ParsedRequest<number> =>
  readRequest(received, (reading, request) => {
    refuseUnknownFields(reading, root, request, ["keepLast"]);
    return readWholeNumber(reading, root, "keepLast", request["keepLast"]);
  });

function readPattern(
  reading: Reading,
  request: { readonly [name: string]: Json },
  name: "nameRegexp" | "scopeRegexp" | "versionRegexp",
): string {
  const pattern = readText(reading, root, name, request[name]);
  const problem = patternProblem(pattern);
  if (problem !== undefined) reportViolation(reading, root, fields[name], name, "string.regexp", problem);
  return pattern;
}
