/** The administration API. A call is handled in this order: enabled, credentials, request, store (D7). */
import type { AuditLog } from "../audit/audit-log.ts";
import type { Refused } from "../compile/commands.ts";
import type { Config } from "../config/settings.ts";
import type { Live } from "../live.ts";
import type { Log } from "../observe/log.ts";
import { isRefusal } from "../refusal.ts";
import type { AdminMethod, GetRequest, Call, CallRequestText } from "../server/calls/call.ts";
import { failure, type Reply } from "../server/calls/reply.ts";
import { openAuditEntries } from "./audit-entries.ts";
import { openCredentials, type CheckCredentials } from "./credentials.ts";
import { readPasswordHash } from "./password-hash.ts";
import { readFewPolicyIds, readPolicyFilter, readPolicyIds, readPurge, readPutPolicies, readReload } from "./policy-requests.ts";
import type { ParsedRequest } from "./read-request.ts";
import {
  nothing,
  policiesCounted,
  policiesFound,
  policiesPut,
  policyList,
  refusalReply,
  revisionsPurged,
  schemaList,
  schemasDeleted,
  schemasFound,
} from "./replies.ts";
import { readListSchemas, readPutSchemas, readSchemaIds } from "./schema-requests.ts";

/** The administration calls. */
export interface Admin {
  /** Answers a call; its request is not read before the credentials are checked. */
  readonly call: (method: AdminMethod, getRequest: GetRequest, call: Call) => Reply | Promise<Reply>;
  /** Lists audit entries, each as a ListAuditLogEntriesResponse in JSON. */
  readonly listAuditLogEntries: (getRequest: GetRequest, call: Call) => Promise<Reply | AsyncIterable<string>>;
}

/** The settings that are read here. */
export type AdminConfig = Pick<
  Config,
  "server.adminAPI.enabled" | "server.adminAPI.adminCredentials.username" | "server.adminAPI.adminCredentials.passwordHash"
>;

/** What the API depends on. */
export interface AdminOptions {
  readonly live: Pick<Live, "ask">;
  readonly auditLog: Pick<AuditLog, "enabled" | "query">;
  readonly log: Log;
  /** The check of credentials; by default one is opened. */
  readonly checkCredentials?: CheckCredentials;
}

/** Opens the check of credentials; throws a refusal when the configuration allows nobody. */
export function openCredentialCheck(config: AdminConfig, { live, log }: Pick<AdminOptions, "live" | "log">): CheckCredentials {
  return openCredentials({
    username: config["server.adminAPI.adminCredentials.username"],
    passwordHash: readPasswordHash(config["server.adminAPI.adminCredentials.passwordHash"]),
    verify: (password, hash) => live.ask({ kind: "verify password", password, hash }),
    log,
  });
}

/** Opens the API; throws a refusal when it is enabled and nobody could use it. */
export function openAdmin(config: AdminConfig, { live, auditLog, log, checkCredentials: known }: AdminOptions): Admin {
  if (!config["server.adminAPI.enabled"])
    return { call: (_method, _ask, call) => disabled(call), listAuditLogEntries: async (_ask, call) => disabled(call) };
  const checkCredentials = known ?? openCredentialCheck(config, { live, log });
  const listAuditEntries = openAuditEntries(auditLog);
  const methods: { readonly [Method in AdminMethod]: (received: CallRequestText, call: Call) => Promise<Reply> } = {
    AddOrUpdatePolicy: (received) =>
      asking(readPutPolicies(received), async (policies) => {
        const answer = await live.ask({ kind: "put policies", policies });
        return answer.kind === "refused" ? refusalReply(answer) : policiesPut;
      }),
    ListPolicies: (received) =>
      asking(readPolicyFilter(received), async (filter) => {
        const answer = await live.ask({ kind: "list policies", filter });
        return isRefused(answer) ? refusalReply(answer) : policyList(answer);
      }),
    GetPolicy: (received) =>
      asking(readPolicyIds(received), async (ids) => {
        const answer = await live.ask({ kind: "get policies", ids });
        if (isRefused(answer)) return refusalReply(answer);
        return answer.length === 0 ? failure("NOT_FOUND", `no policy has the ${named(ids)}`) : policiesFound(answer);
      }),
    InspectPolicies: (received) =>
      asking(readPolicyFilter(received), async (filter) => {
        const answer = await live.ask({ kind: "inspect policies", filter });
        return typeof answer === "string" ? { code: 0, text: answer } : refusalReply(answer);
      }),
    EnablePolicy: (received) =>
      asking(readPolicyIds(received), async (ids) => {
        const answer = await live.ask({ kind: "enable policies", ids });
        return answer.kind === "refused" ? refusalReply(answer) : policiesCounted("enabledPolicies", answer.count);
      }),
    DisablePolicy: (received) =>
      asking(readFewPolicyIds(received), async (ids) => {
        const answer = await live.ask({ kind: "disable policies", ids });
        return answer.kind === "refused" ? refusalReply(answer, "Disable") : policiesCounted("disabledPolicies", answer.count);
      }),
    DeletePolicy: (received) =>
      asking(readFewPolicyIds(received), async (ids) => {
        const answer = await live.ask({ kind: "delete policies", ids });
        return answer.kind === "refused" ? refusalReply(answer, "Delete") : policiesCounted("deletedPolicies", answer.count);
      }),
    ReloadStore: (received) =>
      asking(readReload(received), async (wait) => {
        const reloaded = live.ask({ kind: "reload" });
        if (!wait) {
          reloaded.catch((error: unknown) => log.error({ err: error }, "the store could not be reloaded"));
          return nothing;
        }
        const answer = await reloaded;
        return answer.kind === "refused" ? refusalReply(answer) : nothing;
      }),
    PurgeStoreRevisions: (received) =>
      asking(readPurge(received), async (keepLast) => {
        const answer = await live.ask({ kind: "purge revisions", keepLast });
        return answer.kind === "refused" ? refusalReply(answer) : revisionsPurged(answer.count);
      }),
    AddOrUpdateSchema: (received) =>
      asking(readPutSchemas(received), async (schemas) => {
        const answer = await live.ask({ kind: "put schemas", schemas });
        return answer.kind === "refused" ? refusalReply(answer) : nothing;
      }),
    ListSchemas: (received) =>
      asking(readListSchemas(received), async () => {
        const answer = await live.ask({ kind: "list schemas" });
        return isRefused(answer) ? refusalReply(answer) : schemaList(answer);
      }),
    GetSchema: (received, call) =>
      asking(readSchemaIds(received), async (ids) => {
        const schemas = await live.ask({ kind: "get schemas", ids });
        if (isRefused(schemas)) return refusalReply(schemas);
        return schemas.length === 0 ? failure("NOT_FOUND", `no schema has the ${named(ids)}`) : schemasFound(schemas, call.transport);
      }),
    DeleteSchema: (received) =>
      asking(readSchemaIds(received), async (ids) => {
        const answer = await live.ask({ kind: "delete schemas", ids });
        return answer.kind === "refused" ? refusalReply(answer) : schemasDeleted(answer.count);
      }),
  };
  return {
    call: async (method, getRequest, call) =>
      (await checkCredentials(call)) ?? reading(getRequest, (received) => methods[method](received, call)),
    listAuditLogEntries: async (getRequest, call) =>
      (await checkCredentials(call)) ?? reading(getRequest, ({ text }) => listAuditEntries(text)),
  };
}

/** Over HTTP, a disabled API looks like a missing route. */
function disabled({ transport }: Call): Reply {
  return failure(
    transport === "http" ? "NOT_FOUND" : "UNIMPLEMENTED",
    "the administration API is disabled (setting server.adminAPI.enabled)",
  );
}

/** Calls `answer` with the request, if the transport could read it. */
function reading<T>(getRequest: GetRequest, answer: (received: CallRequestText) => T): T | Reply {
  const received = getRequest();
  return "text" in received ? answer(received) : received.refused;
}

/**
 * Calls `answer` with the parsed request, if it is valid. A refusal of the store or its thread is reported as UNAVAILABLE, not as a
 * bug.
 */
async function asking<T>(asked: ParsedRequest<T>, answer: (asked: T) => Promise<Reply>): Promise<Reply> {
  if ("refused" in asked) return asked.refused;
  try {
    return await answer(asked.asked);
  } catch (error) {
    if (isRefusal(error)) return failure("UNAVAILABLE", error.message);
    throw error;
  }
}

const isRefused = (answer: object): answer is Refused => "kind" in answer && answer.kind === "refused";

function named(ids: readonly string[]): string {
  const shown = ids.slice(0, 10).map((id) => `\`${id}\``);
  const more = ids.length - shown.length;
  return `id ${shown.join(" or ")}${more > 0 ? ` or one of ${more} more` : ""}`;
}
