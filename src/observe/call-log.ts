/** Logs calls: one line each; at debug level also one when it begins, and the payloads if configured. */
import { unaryMethods } from "../server/calls/call.ts";
import { requestIdIn } from "../server/calls/message-reply.ts";
import { maskTokens, redact } from "../server/calls/redact.ts";
import { codeName, type CodeName } from "../server/calls/reply.ts";
import type { CallObserver } from "./events.ts";
import { logOf, type Log } from "./log.ts";

/** Options of the log of calls. */
export interface CallLogOptions {
  readonly log: Log;
  readonly payloads: boolean;
  readonly traceId: (callId: string) => string | undefined;
}

/** The level by code: errors of the caller are info, problems that the operator should look at are warnings, bugs of ours are errors. */
const levels: { readonly [Code in CodeName]: "info" | "warn" | "error" } = {
  OK: "info",
  CANCELLED: "info",
  INVALID_ARGUMENT: "info",
  NOT_FOUND: "info",
  ALREADY_EXISTS: "info",
  UNAUTHENTICATED: "info",
  DEADLINE_EXCEEDED: "warn",
  PERMISSION_DENIED: "warn",
  RESOURCE_EXHAUSTED: "warn",
  FAILED_PRECONDITION: "warn",
  ABORTED: "warn",
  OUT_OF_RANGE: "warn",
  UNIMPLEMENTED: "warn",
  UNAVAILABLE: "warn",
  UNKNOWN: "error",
  INTERNAL: "error",
  DATA_LOSS: "error",
};

/** Opens the log of calls. */
export function openCallLog(options: CallLogOptions): CallObserver {
  const log = logOf(options.log, "authz.service");
  const payloads = logOf(options.log, "authz.payload");
  return {
    // Most servers do not log at debug level, so that case must cost little.
    begin: (begun) => {
      if (!log.isLevelEnabled("debug")) return;
      const { method, callId, body, call } = begun;
      log.debug(
        {
          "authz.call_id": callId,
          "authz.service": unaryMethods[method],
          "authz.method": method,
          "network.protocol": call.transport,
          "source.address": call.peer,
          "user_agent.original": call.headers.get("user-agent"),
          "http.request.body.bytes": Buffer.byteLength(body),
        },
        `${method} begins`,
      );
    },
    end: (begun, { reply, milliseconds }) => {
      const { method, callId, call } = begun;
      const code = codeName(reply.code);
      const level = reply.unreadable ? "info" : levels[code];
      // A single object literal; undefined fields are left out of the line.
      if (log.isLevelEnabled(level))
        log[level](
          {
            "authz.call_id": callId,
            "authz.service": unaryMethods[method],
            "authz.method": method,
            "authz.code": code,
            "authz.request_id": reply.message === undefined ? requestIdOf(reply.text) : requestIdIn(reply.message),
            "authz.resources": reply.resources,
            "error.message": code === "OK" ? undefined : whyOf(reply.text),
            "event.duration": Math.round(milliseconds * 1e6),
            "network.protocol": call.transport,
            "source.address": call.peer,
            "trace.id": options.traceId(callId),
          },
          `${method} ${code}`,
        );
      if (options.payloads && payloads.isLevelEnabled("info"))
        payloads.info(
          { "authz.call_id": callId, "authz.request": redact(begun.body), "authz.reply": redact(reply.text) },
          `${method} payloads`,
        );
    },
  };
}

/** The beginning of a reply that echoes the caller's request id, of which at most 256 characters are used. */
const echoed = /^\{"requestId":("(?:[^"\\]|\\.){0,256}")/;

function requestIdOf(reply: string): string | undefined {
  const written = echoed.exec(reply)?.[1];
  if (written === undefined) return undefined;
  return written.includes("\\") ? String(JSON.parse(written)) : written.slice(1, -1);
}

/** The beginning of an error reply: its code and message. */
const explained = /^\{"code":\d+,"message":("[^"\\]*(?:\\.[^"\\]*)*")/;
/** The most characters of a message that are logged: it may quote the request at length. */
const longestMessage = 1000;

function whyOf(reply: string): string | undefined {
  const written = explained.exec(reply)?.[1];
  return written === undefined ? undefined : maskTokens(String(JSON.parse(written))).slice(0, longestMessage);
}
