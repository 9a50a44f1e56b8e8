/** The calls of the service, independent of HTTP and gRPC: JSON in, gRPC code and JSON out; observers are informed of each call. */
import type { Admin } from "../admin/admin.ts";
import type { Engine } from "../engine.ts";
import type { BegunCall, CallObserver } from "../observe/events.ts";
import { logOf, type Log } from "../observe/log.ts";
import { ulid } from "../ulid.ts";
import { version } from "../version.ts";
import { unaryMethods, type AdminMethod, type GetRequest, type Call, type CallRequest, type UnaryMethod } from "./calls/call.ts";
import { codeName, failure, type Reply } from "./calls/reply.ts";

/** The calls. */
export interface Service {
  /**
   * Answers a unary call. Never rejects. A CheckResources whose request is also given as `message` (protobuf as a binary string, one
   * byte per character) may be answered in that form.
   */
  readonly call: (method: UnaryMethod, getRequest: GetRequest, call: Call, message?: string) => Reply | Promise<Reply>;
  /**
   * Lists audit entries: resolves to the ListAuditLogEntriesResponses as JSON, one by one, or to an error reply. The promise never
   * rejects; the iteration may.
   */
  readonly listAuditLogEntries: (getRequest: GetRequest, call: Call) => Promise<Reply | AsyncIterable<string>>;
}

/** What the calls depend on. */
export interface ServiceOptions {
  readonly engine: Pick<Engine, "check" | "checkMessage">;
  readonly admin: Admin;
  /** Informed of each call, in this order. */
  readonly observers: readonly CallObserver[];
  readonly log: Log;
}

const isAdminMethod = (method: UnaryMethod): method is AdminMethod => unaryMethods[method] === "authz.svc.v1.AuthzAdminService";

/** Opens the service. */
export function openService({ engine, admin, observers, log: parent }: ServiceOptions): Service {
  const log = logOf(parent, "authz.service");

  const run = ({ method, call, callId, getRequest }: Begun, message: string | undefined): Reply | Promise<Reply> => {
    if (isAdminMethod(method)) return admin.call(method, getRequest, call);
    const reply = message === undefined || method !== "CheckResources" ? undefined : engine.checkMessage(message, callId);
    if (reply !== undefined) return reply;
    const request = getRequest();
    if ("refused" in request) return request.refused;
    if (method === "ServerInfo") return { code: 0, text: JSON.stringify({ version, commit: "", buildDate: "" }) };
    return engine.check(method, request.text, callId);
  };
  // An unexpected error is our bug: the caller gets the call id, and the log gets the error under it.
  const failed = (begun: Begun, error: unknown): Reply => {
    log.error({ err: error, "authz.call_id": begun.callId }, `${begun.method} failed`);
    return failure("INTERNAL", `internal error; the log names it under call id ${begun.callId}`);
  };
  const finish = (begun: Begun, began: number, reply: Reply): Reply => {
    const end = { reply, milliseconds: performance.now() - began };
    for (const observer of observers) observer.end(begun, end);
    return reply;
  };
  const beginners = observers.filter(({ begin }) => begin !== undefined);

  return {
    // Synchronous wherever possible: most checks are answered in the same turn of the event loop.
    call: (method, getRequest, call, message) => {
      const began = performance.now();
      const begun = new Begun(method, call, once(getRequest), Date.now());
      for (const observer of beginners) observer.begin?.(begun);
      try {
        const reply = run(begun, message);
        if (!(reply instanceof Promise)) return finish(begun, began, reply);
        return reply.catch((error: unknown) => failed(begun, error)).then((there) => finish(begun, began, there));
      } catch (error) {
        return finish(begun, began, failed(begun, error));
      }
    },
    listAuditLogEntries: async (getRequest, call) => {
      const callId = ulid(Date.now());
      const about = { "authz.call_id": callId, "authz.method": "ListAuditLogEntries", "source.address": call.peer };
      try {
        const answer = await admin.listAuditLogEntries(getRequest, call);
        const code = "code" in answer ? codeName(answer.code) : "OK";
        log.info({ ...about, "authz.code": code, "network.protocol": call.transport }, `ListAuditLogEntries ${code}`);
        return answer;
      } catch (error) {
        log.error({ ...about, err: error }, "ListAuditLogEntries failed");
        return failure("INTERNAL", `internal error; the log names it under call id ${callId}`);
      }
    },
  };
}

/** A call in progress. A class, because a getter in an object literal would be created anew for every call. */
class Begun implements BegunCall {
  readonly method: UnaryMethod;
  readonly callId: string;
  readonly call: Call;
  readonly getRequest: GetRequest;
  readonly at: number;

  constructor(method: UnaryMethod, call: Call, getRequest: GetRequest, at: number) {
    this.method = method;
    this.callId = ulid(at);
    this.call = call;
    this.getRequest = getRequest;
    this.at = at;
  }

  get body(): string {
    const asked = this.getRequest();
    return "text" in asked ? asked.text : "";
  }
}

/** Returns a function that parses the request at most once, for all its callers. */
function once(getRequest: GetRequest): GetRequest {
  let request: CallRequest | undefined;
  return () => (request ??= getRequest());
}
