/** Fetches policies from a server: lists their ids, and gets policies by id in batches. */
import type { Policy } from "../../../proto/gen/authz/policy/v1/policy_pb.js";
import { AuthzAdminService } from "../../../proto/gen/authz/svc/v1/svc_pb.js";
import { refusal } from "../../refusal.ts";
import { splitIntoChunks } from "./batches.ts";
import type { AdminClient } from "./client.ts";
import { printFailure } from "./failure.ts";
import { filterOf, type PolicyFilter } from "./filters.ts";

const maxIdsPerRequest = 200;

/** Lists the ids of policies. */
export const listPolicyIds = async (client: AdminClient, filter: PolicyFilter): Promise<readonly string[]> =>
  (await client.call(AuthzAdminService.method.listPolicies, filterOf(filter))).policyIds;

/** Gets the policies with these ids, as far as they exist. */
export async function getPolicies(client: AdminClient, ids: readonly string[]): Promise<readonly Policy[]> {
  const found: Policy[] = [];
  for (const some of splitIntoChunks([...new Set(ids)], maxIdsPerRequest)) {
    const outcome = await client.tryCall(AuthzAdminService.method.getPolicy, { id: [...some] });
    if ("reply" in outcome) found.push(...outcome.reply.policies);
    else if (outcome.failure.code !== "NOT_FOUND") throw refusal(printFailure(outcome.failure));
  }
  return found;
}
