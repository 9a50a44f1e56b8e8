/** The spans of calls: one per call, and below it one for each part that takes time. */
import type { SpanContext } from "@opentelemetry/api";
import { messageOf } from "../../refusal.ts";
import { unaryMethods, type Call, type UnaryMethod } from "../../server/calls/call.ts";
import { maskTokens } from "../../server/calls/redact.ts";
import { codeName, codes } from "../../server/calls/reply.ts";
import type { BeginSpan, CallObserver, SpanName } from "../events.ts";
import { callersSpan } from "./propagation.ts";
import { isSampled, type SpanContexts } from "./span-contexts.ts";
import { kinds, nameOf, sortOf, type Attribute, type Sort } from "./span-message.ts";
import type { SpanQueue } from "./span-queue.ts";

/** The spans of the calls in progress. */
export interface CallSpans {
  readonly observer: CallObserver;
  readonly beginSpan: BeginSpan;
  /** Returns the trace id of a call in progress; undefined when it has no trace. */
  readonly traceId: (callId: string) => string | undefined;
  /** Returns the span of the call for which something is fetched in this turn of the event loop; undefined when there is none. */
  readonly asking: () => SpanContext | undefined;
}

/** A call in progress. */
interface TracedCall {
  readonly span: SpanContext;
  readonly parent: SpanContext | undefined;
  /** When it began: in milliseconds since 1970, and on the monotonic clock. */
  readonly at: number;
  readonly began: number;
}

/** By the semantic conventions for servers, codes that are the server's fault. Errors of the caller do not count. */
const serverErrors: ReadonlySet<number> = new Set(
  [codes.UNKNOWN, codes.DEADLINE_EXCEEDED, codes.UNIMPLEMENTED, codes.INTERNAL, codes.UNAVAILABLE, codes.DATA_LOSS].map(({ code }) => code),
);
const nothingToEnd = (): void => undefined;

const names = {
  address: nameOf("client.address"),
  callId: nameOf("authz.call_id"),
  status: nameOf("rpc.grpc.status_code"),
  resources: nameOf("authz.resources"),
} as const;

const parts: { readonly [Name in SpanName]: Sort } = {
  auxData: sortOf("auxData", kinds.internal),
  schemas: sortOf("schemas", kinds.internal),
  decide: sortOf("decide", kinds.internal),
};

/** Opens them, for a server that answers no call yet. */
export function openCallSpans(contexts: SpanContexts, queue: SpanQueue): CallSpans {
  const sortOfCall = sortsOfCalls();
  const calls = new Map<string, TracedCall>();
  /** Returns the traced call. Most calls have no trace, so that case is fast. */
  const callOf = (callId: string): TracedCall | undefined => (calls.size === 0 ? undefined : calls.get(callId));
  let asking: SpanContext | undefined;
  return {
    observer: {
      begin: ({ call, callId, at }) => {
        const parent = callersSpan(call.headers);
        const span = contexts.ofCall(parent);
        if (span !== undefined) calls.set(callId, { span, parent, at, began: performance.now() });
      },
      end: ({ method, callId, call: { transport, peer } }, { reply, milliseconds }) => {
        const call = callOf(callId);
        if (call === undefined) return;
        calls.delete(callId);
        const { span, parent, at } = call;
        if (!isSampled(span)) return;
        const attributes: Attribute[] = [
          [names.address, peer.replace(/:\d+$/, "")],
          [names.callId, callId],
          [names.status, reply.code],
        ];
        if (reply.resources !== undefined) attributes.push([names.resources, reply.resources]);
        const trouble = serverErrors.has(reply.code) ? codeName(reply.code) : undefined;
        const sort = sortOfCall(method, transport);
        queue.add({ sort, context: span, parent, start: at, end: at + milliseconds, attributes, trouble });
      },
    },
    beginSpan: (name, callId) => {
      const call = callOf(callId);
      if (call === undefined) return nothingToEnd;
      // A span that is not sampled is not recorded; requests to others still carry its trace.
      const isRecorded = isSampled(call.span);
      const span = isRecorded ? contexts.below(call.span) : call.span;
      if (name !== "decide") {
        asking = span;
        queueMicrotask(() => (asking = undefined));
      }
      if (!isRecorded) return nothingToEnd;
      const { at, began } = call;
      const start = at + performance.now() - began;
      return (error) =>
        queue.add({
          sort: parts[name],
          context: span,
          parent: call.span,
          start,
          end: at + performance.now() - began,
          attributes: [],
          // The message may quote the request, which may contain a token.
          trouble: error === undefined ? undefined : maskTokens(messageOf(error)),
        });
    },
    traceId: (callId) => callOf(callId)?.span.traceId,
    asking: () => asking,
  };
}

/** Returns the fields that all spans of a method and transport share; encoded once. */
function sortsOfCalls(): (method: UnaryMethod, transport: Call["transport"]) => Sort {
  const known = { http: new Map<UnaryMethod, Sort>(), grpc: new Map<UnaryMethod, Sort>() } as const;
  return (method, transport) => {
    const found = known[transport].get(method);
    if (found !== undefined) return found;
    const service = unaryMethods[method];
    const sort = sortOf(`${service}/${method}`, kinds.server, {
      "rpc.system": transport === "grpc" ? "grpc" : "http",
      "rpc.service": service,
      "rpc.method": method,
      "network.protocol.name": transport,
    });
    known[transport].set(method, sort);
    return sort;
  };
}
