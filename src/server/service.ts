/** The calls, knowing neither HTTP nor gRPC: JSON text in, code and JSON text out; whoever watches is told of each. */
import type { Admin } from "../admin/admin.ts";
import type { Engine } from "../engine.ts";
import type { BegunCall, CallObserver } from "../observe/events.ts";
import { logOf, type Log } from "../observe/log.ts";
import { ulid } from "../ulid.ts";
import { version } from "../version.ts";
import { unaryMethods, type AdminMethod, type Ask, type Call, type Question, type UnaryMethod } from "./call.ts";
import { codeName, failure, type Reply } from "./reply.ts";

/** The calls. */
export interface Service {
  /** Answers a call with one question and one answer. Never rejects. */
  readonly call: (method: UnaryMethod, ask: Ask, call: Call) => Reply | Promise<Reply>;
  /** Lists audit entries: one JSON text of a ListAuditLogEntriesResponse after the other, or why not. Never rejects; the list may. */
  readonly listAuditLogEntries: (ask: Ask, call: Call) => Promise<Reply | AsyncIterable<string>>;
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

  const run = ({ method, call, callId }: BegunCall, ask: Ask): Reply | Promise<Reply> => {
    if (isAdminMethod(method)) return admin.call(method, ask, call);
    const question = ask();
    if ("refused" in question) return question.refused;
    if (method === "ServerInfo") return { code: 0, text: JSON.stringify({ version, commit: "", buildDate: "" }) };
    return engine.check(method, question.text, callId);
  };

  return {
    // Waits for nothing that is already there: most checks are answered in the same turn of the event loop.
    call: (method, ask, call) => {
      const began = performance.now();
      const at = Date.now();
      const question = once(ask);
      const begun: BegunCall = {
        method,
        callId: ulid(at),
        call,
        get body() {
          const asked = question();
          return "text" in asked ? asked.text : "";
        },
        at,
      };
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
        const reply = run(begun, question);
        return reply instanceof Promise ? reply.catch(failed).then(finish) : finish(reply);
      } catch (error) {
        return finish(failed(error));
      }
    },
    listAuditLogEntries: async (ask, call) => {
      const callId = ulid(Date.now());
      const about = { "authz.call_id": callId, "authz.method": "ListAuditLogEntries", "source.address": call.peer };
      try {
        const answer = await admin.listAuditLogEntries(ask, call);
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

/** Whoever wants the question, it is read once. */
function once(ask: Ask): Ask {
  let question: Question | undefined;
  return () => (question ??= ask());
}
