/** The calls, knowing neither HTTP nor gRPC: JSON text in, code and JSON text out; whoever watches is told of each. */
import type { Admin } from "../admin/admin.ts";
import type { Engine } from "../engine.ts";
import type { BegunCall, CallObserver } from "../observe/events.ts";
import { logOf, type Log } from "../observe/log.ts";
import { ulid } from "../ulid.ts";
import { version } from "../version.ts";
import { unaryMethods, type AdminMethod, type Call, type UnaryMethod } from "./call.ts";
import { codeName, failure, type Reply } from "./reply.ts";

/** The calls. */
export interface Service {
  /** Answers a call with one question, given as proto3 JSON text, and one answer. Never rejects. */
  readonly call: (method: UnaryMethod, body: string, call: Call) => Reply | Promise<Reply>;
  /** Lists audit entries: one JSON text of a ListAuditLogEntriesResponse after the other, or why not. Never rejects; the list may. */
  readonly listAuditLogEntries: (body: string, call: Call) => Promise<Reply | AsyncIterable<string>>;
}

/** What the calls stand on. */
export interface ServiceOptions {
  readonly engine: Pick<Engine, "check">;
  readonly admin: Admin;
  /** Told in this order. */
  readonly observers: readonly CallObserver[];
  readonly log: Log;
}

const isAdminMethod = (method: UnaryMethod): method is AdminMethod => unaryMethods[method] === "authz.svc.v1.AuthzAdminService";

/** Opens the service. */
export function openService({ engine, admin, observers, log: parent }: ServiceOptions): Service {
  const log = logOf(parent, "authz.service");

  const run = ({ method, body, call, callId }: BegunCall): Reply | Promise<Reply> => {
    if (method === "ServerInfo") return { code: 0, text: JSON.stringify({ version, commit: "", buildDate: "" }) };
    return isAdminMethod(method) ? admin.call(method, body, call) : engine.check(method, body, callId);
  };

  return {
    // Waits for nothing that is already there: most checks are answered in the same turn of the event loop.
    call: (method, body, call) => {
      const began = performance.now();
      const at = Date.now();
      const begun: BegunCall = { method, callId: ulid(at), call, body, at };
      for (const observer of observers) observer.begin?.(begun);
      // Our own bug: the caller learns that it is ours, the log learns what it is.
      const failed = (error: unknown): Reply => {
        log.error({ err: error, "authz.call_id": begun.callId }, `${method} failed`);
        return failure("INTERNAL", `internal error; the log names it under call id ${begun.callId}`);
      };
      const finish = (reply: Reply): Reply => {
        const milliseconds = performance.now() - began;
        for (const observer of observers) observer.end(begun, { reply, milliseconds });
        return reply;
      };
      try {
        const reply = run(begun);
        return reply instanceof Promise ? reply.catch(failed).then(finish) : finish(reply);
      } catch (error) {
        return finish(failed(error));
      }
    },
    listAuditLogEntries: async (body, call) => {
      const callId = ulid(Date.now());
      const about = { "authz.call_id": callId, "authz.method": "ListAuditLogEntries", "source.address": call.peer };
      try {
        const answer = await admin.listAuditLogEntries(body, call);
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
