/** Makes a request of a decision entry of the audit log, so that what was decided can be looked into. */
import type { Json } from "../../runtime/cel/to-json.ts";
import { isJsonObject } from "../../runtime/wire/json.ts";
import type { JsonMembers } from "./state.ts";

/** The request of an entry. */
export interface RecordedRequest {
  /** The body of a check. Its claims are those of the tokens that were verified. */
  readonly request: JsonMembers;
  /** When it was decided, as RFC 3339; undefined if the entry does not say. */
  readonly timestamp?: string;
  /** Whether the entry was too large, so that it has no attributes (setting audit.maxEntrySize). */
  readonly isOversized: boolean;
}

/** Returns whether this is an access entry of the audit log, as a file has it, or as the administration API lists it. */
export const isAccessEntry = (json: Json): boolean =>
  isJsonObject(json) &&
  (isJsonObject(json["accessLogEntry"]) || (typeof json["callId"] === "string" && typeof json["method"] === "string"));

/** Returns the request of an entry as a file has it, or as the administration API lists it; undefined if the JSON is no decision entry. */
export function recordedRequest(json: Json): RecordedRequest | undefined {
  if (!isJsonObject(json)) return undefined;
  const entry = isJsonObject(json["decisionLogEntry"]) ? json["decisionLogEntry"] : json;
  const check = entry["checkResources"];
  if (!isJsonObject(check)) return undefined;
  const inputs = Array.isArray(check["inputs"]) ? check["inputs"].filter(isJsonObject) : [];
  const [first] = inputs;
  const { timestamp, oversized } = entry;
  return {
    request: {
      ...(first?.["principal"] !== undefined && { principal: first["principal"] }),
      ...(first?.["auxData"] !== undefined && { auxData: first["auxData"] }),
      resources: inputs.map(({ resource = {}, actions = [] }) => ({ resource, actions })),
    },
    ...(typeof timestamp === "string" && { timestamp }),
    isOversized: oversized === true,
  };
}
