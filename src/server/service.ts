/** The calls of the service, independent of HTTP and gRPC: JSON in, gRPC code and JSON out; observers are told of each. */
import type { Admin } from "../admin/admin.ts";
import type { Engine } from "../engine.ts";
import type { BegunCall, CallObserver } from "../observe/events.ts";
import { logOf, type Log } from "../observe/log.ts";
import { ulid } from "../ulid.ts";
import { version } from "../version.ts";
import { unaryMethods, type AdminMethod, type Ask, type Call, type Question, type UnaryMethod } from "./calls/call.ts";
import { codeName, failure, type Reply } from "./calls/reply.ts";

/** The calls. */
export interface Service {
  /**
   * Answers a call with one question and one answer. Never rejects. A CheckResources that came as `message`, its bytes one a
   * character, may be answered as one too.
   */
  readonly call: (method: UnaryMethod, ask: Ask, call: Call, message?: string) => Reply | Promise<Reply>;
  /** Lists audit entries: one JSON text of a ListAuditLogEntriesResponse after the other, or why not. Never rejects; the list may. */
  readonly listAuditLogEntries: (ask: Ask, call: Call) => Promise<Reply | AsyncIterable<string>>;
}

/** What the calls stand on. */
export interface ServiceOptions {
  readonly engine: Pick<Engine, "check" | "checkMessage">;
  readonly admin: Admin;
  /** Told in this order. */
  readonly observers: readonly CallObserver[];
  readonly log: Log;
}

const isAdminMethod = (method: UnaryMethod): method is AdminMethod => unaryMethods[method] === "authz.svc.v1.AuthzAdminService";

/** Opens the service. */
export function openService({ engine, admin, observers, log: parent }: ServiceOptions): Service {
  const log = logOf(parent, "authz.service");

  const run = ({ method, call, callId, ask }: Begun, message: string | undefined): Reply | Promise<Reply> => {
    if (isAdminMethod(method)) return admin.call(method, ask, call);
    const reply = message === undefined || method !== "CheckResources" ? undefined : engine.checkMessage(message, callId);
    if (reply !== undefined) return reply;
    const question = ask();
    if ("refused" in question) return question.refused;
    if (method === "ServerInfo") return { code: 0, text: JSON.stringify({ version, commit: "", buildDate: "" }) };
    return engine.check(method, question.text, callId);
  };
  // Our own bug: the caller learns that it is ours, the log learns what it is.
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
    // Waits for nothing that is already there: most checks are answered in the same turn of the event loop.
    call: (method, ask, call, message) => {
      const began = performance.now();
      const begun = new Begun(method, call, once(ask), Date.now());
      for (const observer of beginners) observer.begin?.(begun);
      try {
        const reply = run(begun, message);
        if (!(reply instanceof Promise)) return finish(begun, began, reply);
        return reply.catch((error: unknown) => failed(begun, error)).then((there) => finish(begun, began, there));
      } catch (error) {
        return finish(begun, began, failed(begun, error));
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

/** A call that has begun; a class, because a getter in a literal is made anew for every object. */
class Begun implements BegunCall {
  readonly method: UnaryMethod;
  readonly callId: string;
  readonly call: Call;
  readonly ask: Ask;
  readonly at: number;

  constructor(method: UnaryMethod, call: Call, ask: Ask, at: number) {
    this.method = method;
    this.callId = ulid(at);
    this.call = call;
    this.ask = ask;
    this.at = at;
  }

  get body(): string {
    const asked = this.ask();
    return "text" in asked ? asked.text : "";
  }
}

/** Whoever wants the question, it is read once. */
function once(ask: Ask): Ask {
  let question: Question | undefined;
  return () => (question ??= ask());
}
