/** The spans of calls: one for each call, and below it one for each of its parts that takes time. */
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

/** The traces of the calls that are being answered. */
export interface CallSpans {
  readonly observer: CallObserver;
  readonly beginSpan: BeginSpan;
  /** The trace of a call that is being answered; undefined where it has none. */
  readonly traceId: (callId: string) => string | undefined;
  /** The span that asks for whatever is fetched in this turn of the event loop; undefined where no call asks. */
  readonly asking: () => SpanContext | undefined;
}

/** A call that is being answered. */
interface TracedCall {
  readonly span: SpanContext;
  readonly parent: SpanContext | undefined;
  /** When it began: in milliseconds since 1970, and by the clock of this process, which has fractions. */
  readonly at: number;
  readonly began: number;
}

/** Of the conventions for servers: codes that are the server's fault. A caller's mistake is no error of ours. */
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
  /** The call that is answered; most have no trace, and then nobody has to look for theirs. */
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
      // Below a span that nobody records there is none; what is asked of others still belongs to its trace.
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
          // It may name what a caller has sent, and a caller may send a token where none belongs.
          trouble: error === undefined ? undefined : maskTokens(messageOf(error)),
        });
    },
    traceId: (callId) => callOf(callId)?.span.traceId,
    asking: () => asking,
  };
}

/** What the spans of a method's calls say alike, over each transport: made once for each. */
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
