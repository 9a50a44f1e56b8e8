/** The calls, knowing neither HTTP nor gRPC: JSON text in, code and JSON text out; one log line a call. */
import type { Engine } from "../engine.ts";
import { logOf, type Log } from "../observe/log.ts";
import { ulid } from "../ulid.ts";
import { version } from "../version.ts";
import { codeName, codes, failure, type Reply } from "./reply.ts";
import { redact } from "./redact.ts";

/** What a transport knows about a call. */
export interface Call {
  readonly transport: "http" | "grpc";
  /** The caller's address. */
  readonly peer: string;
}

/** The calls. */
export interface Service {
  readonly checkResources: (body: string, call: Call) => Reply | Promise<Reply>;
  readonly serverInfo: (call: Call) => Reply | Promise<Reply>;
}

/** What the calls stand on. */
export interface ServiceOptions {
  readonly engine: Engine;
  readonly log: Log;
  readonly logPayloads: boolean;
}

/** Opens the service over an engine. */
export function openService(options: ServiceOptions): Service {
  const log = logOf(options.log, "authz.service");
  const payloads = logOf(options.log, "authz.payload");

  /** Waits for nothing that is already there: most checks are answered in the same turn of the event loop. */
  const answer = (method: string, call: Call, body: string, run: (callId: string) => Reply | Promise<Reply>): Reply | Promise<Reply> => {
    const began = performance.now();
    const callId = ulid(Date.now());
    // Our own bug: the caller learns that it is ours, the log learns what it is.
    const failed = (error: unknown): Reply => {
      log.error({ err: error, "authz.call_id": callId }, `${method} failed`);
      return failure("INTERNAL", `internal error; the log names it under call id ${callId}`);
    };
    const finish = (reply: Reply): Reply => {
      const nanoseconds = Math.round((performance.now() - began) * 1e6);
      log[reply.code === codes.INTERNAL.code ? "error" : "info"](
        {
          "authz.call_id": callId,
          "authz.method": method,
          "authz.code": codeName(reply.code),
          "event.duration": nanoseconds,
          "network.protocol": call.transport,
          "source.address": call.peer,
        },
        `${method} ${codeName(reply.code)}`,
      );
      if (options.logPayloads)
        payloads.info({ "authz.call_id": callId, "authz.request": redact(body), "authz.reply": redact(reply.text) }, `${method} payloads`);
      return reply;
    };
    try {
      const reply = run(callId);
      return reply instanceof Promise ? reply.catch(failed).then(finish) : finish(reply);
    } catch (error) {
      return finish(failed(error));
    }
  };

  return {
    checkResources: (body, call) => answer("CheckResources", call, body, (callId) => options.engine.checkResources(body, callId)),
    serverInfo: (call) =>
      answer("ServerInfo", call, "{}", () => ({ code: 0, text: JSON.stringify({ version, commit: "", buildDate: "" }) })),
  };
}
