/** CheckResourceBatch, an older form of CheckResources: the same request, a reply with effects only. */
import { invariant } from "../cel/error.ts";
import type { Decision } from "../decide/decision.ts";
import { readAuxData } from "./aux-data.ts";
import { fields } from "./field.ts";
import { isJsonObject, type Json } from "./json.ts";
import { readPrincipal } from "./principal.ts";
import { reportNotObject, readText, root, spelling, reportUnknownField, type Reading } from "./reading.ts";
import { bound, largestReply } from "./reply-size.ts";
import { innerFor, writeEffects, writeValidationErrors, type Defaults } from "./reply.ts";
import type { CheckRequest } from "./request.ts";
import { readEntries } from "./resource.ts";

/** Reads a CheckResourceBatchRequest. The result is usable only if nothing was recorded in `reading`. */
export function readBatchRequest(reading: Reading, json: Json, plain: boolean): CheckRequest {
  let requestId = "";
  let principal: Json | undefined;
  let resources: Json | undefined;
  let auxData: Json | undefined;
  const named = { requestId: "", auxData: "" };

  if (!isJsonObject(json)) {
    reportNotObject(reading, json);
  } else {
    for (const name in json) {
      reading.keys++;
      const field = json[name];
      switch (name) {
        case "requestId":
        case "request_id":
          named.requestId = spelling(reading, root, named.requestId, name);
          requestId = readText(reading, root, name, field);
          break;
        case "principal":
          principal = field;
          break;
        case "resources":
          resources = field;
          break;
        case "auxData":
        case "aux_data":
          named.auxData = spelling(reading, root, named.auxData, name);
          auxData = field;
          break;
        default:
          reportUnknownField(reading, root, name, "requestId, principal, resources, auxData");
      }
    }
  }
  const of = fields.batchRequest;
  return {
    kind: "request",
    requestId,
    includeMeta: false,
    principal: readPrincipal(reading, principal, of.principal),
    entries: readEntries(reading, resources, of.resources),
    tokens: auxData === undefined ? undefined : readAuxData(reading, auxData, named.auxData, of.auxData),
    annotations: undefined,
    plain,
    longestText: reading.longestText,
    source: undefined,
  };
}

/** Writes a CheckResourceBatchResponse, which has no call id. Throws `tooLargeReply`. */
export function writeBatchReply(
  { requestId, entries, plain }: CheckRequest,
  decisions: readonly Decision[],
  limits: Partial<Defaults>,
): string {
  const inner = innerFor(plain);
  const most = largestReply(limits);
  let results = "";
  entries.forEach(({ resource, actions }, index) => {
    const decision = decisions[index];
    invariant(decision !== undefined, "every entry is decided");
    results += `${index > 0 ? "," : ""}{"resourceId":"${inner(resource.id)}",${writeEffects(actions, decision, inner)}${writeValidationErrors(decision)}}`;
    bound(results, most);
  });
  return `{${requestId === "" ? "" : `"requestId":"${inner(requestId)}",`}"results":[${results}]}`;
}
