/** The request AddOrUpdatePolicy: what is in a policy is read by the compiler, later. */
import { root } from "../../runtime/wire/reading.ts";
import { readEntries, readRequest, refuseOthers, type Asked } from "./read-request.ts";

const policies = { fieldNumber: 1, fieldName: "policies", fieldType: "TYPE_MESSAGE" } as const;

/** Reads the request: each policy as JSON text. */
export const readPutPolicies = (text: string): Asked<readonly string[]> =>
  readRequest(text, (reading, request) => {
    refuseOthers(reading, root, request, ["policies"]);
    return readEntries(reading, policies, { name: "policies", value: request["policies"], one: "policy" }, (policy) =>
      JSON.stringify(policy),
    );
  });
