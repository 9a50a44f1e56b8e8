/** CheckResourceSet, an older form of CheckResources: instances of one kind, by id, that share their actions. */
import { invariant } from "../cel/error.ts";
import type { Decision } from "../decide/decision.ts";
import { readAuxData } from "./aux-data.ts";
import { fields } from "./field.ts";
import { isJsonObject, type Json } from "./json.ts";
import { readPrincipal } from "./principal.ts";
import { reportNotObject, readFlag, readText, readTexts, root, spelling, reportUnknownField, type Reading } from "./reading.ts";
import { bound, largestReply } from "./reply-size.ts";
import { innerFor, writeEffects, writeMeta, writeValidationErrors, type Defaults } from "./reply.ts";
import type { CheckRequest } from "./request.ts";
import { readResourceSet } from "./resource-set.ts";
import { action, requireUnique } from "./rules.ts";

/** Reads a CheckResourceSetRequest. The result is usable only if nothing was recorded in `reading`. */
export function readSetRequest(reading: Reading, json: Json, plain: boolean, text: string): CheckRequest {
  let requestId = "";
  let includeMeta = false;
  let actions: readonly string[] = [];
  let principal: Json | undefined;
  let resource: Json | undefined;
  let auxData: Json | undefined;
  const named = { requestId: "", includeMeta: "", auxData: "" };

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
        case "actions":
          actions = readTexts(reading, root, name, field);
          break;
        case "principal":
          principal = field;
          break;
        case "resource":
          resource = field;
          break;
        case "includeMeta":
        case "include_meta":
          named.includeMeta = spelling(reading, root, named.includeMeta, name);
          includeMeta = readFlag(reading, root, name, field);
          break;
        case "auxData":
        case "aux_data":
          named.auxData = spelling(reading, root, named.auxData, name);
          auxData = field;
          break;
        default:
          reportUnknownField(reading, root, name, "requestId, actions, principal, resource, includeMeta, auxData");
      }
    }
  }
  const of = fields.setRequest;
  requireUnique(reading, root, of.actions, "actions", actions, action);
  return {
    kind: "request",
    requestId,
    includeMeta,
    principal: readPrincipal(reading, principal),
    entries: readResourceSet(reading, resource, text).map((one) => ({ resource: one, actions })),
    tokens: auxData === undefined ? undefined : readAuxData(reading, auxData, named.auxData, of.auxData),
    annotations: undefined,
    plain,
    longestText: reading.longestText,
    source: undefined,
    sameActions: true,
  };
}

/**
 * Writes a CheckResourceSetResponse, which has no call id. Ids are only written to text, never used as keys of an
 * object (`__proto__`). Throws `tooLargeReply`.
 */
export function writeSetReply(
  { requestId, includeMeta, entries, plain }: CheckRequest,
  decisions: readonly Decision[],
  limits: Partial<Defaults>,
): string {
  const inner = innerFor(plain);
  const most = largestReply(limits);
  let instances = "";
  let metas = "";
  entries.forEach((entry, index) => {
    const decision = decisions[index];
    invariant(decision !== undefined, "every entry is decided");
    const id = `"${inner(entry.resource.id)}"`;
    const separator = index > 0 ? "," : "";
    instances += `${separator}${id}:{${writeEffects(entry.actions, decision, inner)}${writeValidationErrors(decision)}}`;
    if (includeMeta) metas += `${separator}${id}:${writeMeta(entry, decision, inner)}`;
    // The request holds the actions once, the reply once for every instance.
    bound(instances, most - metas.length);
  });
  const meta = includeMeta ? `,"meta":{"resourceInstances":{${metas}}}` : "";
  return `{${requestId === "" ? "" : `"requestId":"${inner(requestId)}",`}"resourceInstances":{${instances}}${meta}}`;
}
