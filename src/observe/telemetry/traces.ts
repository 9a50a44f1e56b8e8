/** The spans of a server: one a call, below it what takes the time, and those of the store. */
import { TraceFlags, type SpanContext } from "@opentelemetry/api";
import type { resources } from "@opentelemetry/sdk-node";
import type { FetchText } from "../../texts/fetch-text.ts";
import { messageOf } from "../../refusal.ts";
import { unaryMethods, type Call, type UnaryMethod } from "../../server/calls/call.ts";
import { maskTokens } from "../../server/calls/redact.ts";
import { codeName, codes } from "../../server/calls/reply.ts";
import { version } from "../../version.ts";
import type { BeginSpan, CallObserver, SpanName, StoreEvent } from "../events.ts";
import type { Log } from "../log.ts";
import { openDelivery } from "./delivery.ts";
import { openSpanSender } from "./exporters.ts";
import type { TracesPlan } from "./plan.ts";
import { callersSpan, headersOf } from "./propagation.ts";
import { openSampling } from "./sampling.ts";
import { kinds, nameOf, openBatches, sortOf, type Attribute, type Sort } from "./span-message.ts";
import { openSpanQueue } from "./span-queue.ts";

/** Traces that are being made. */
export interface Traces {
  readonly observer: CallObserver;
  readonly beginSpan: BeginSpan;
  readonly traceId: (callId: string) => string | undefined;
  readonly store: (event: StoreEvent) => void;
  readonly carried: (fetchText: FetchText) => FetchText;
  readonly shutdown: () => Promise<void>;
  readonly destroy: () => void;
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
  policies: nameOf("authz.policies"),
  created: nameOf("authz.policies.created"),
  updated: nameOf("authz.policies.updated"),
  deleted: nameOf("authz.policies.deleted"),
  url: nameOf("url.full"),
  server: nameOf("server.address"),
} as const;

const parts: { readonly [Name in SpanName]: Sort } = {
  auxData: sortOf("auxData", kinds.internal),
  schemas: sortOf("schemas", kinds.internal),
  decide: sortOf("decide", kinds.internal),
};
const storeUpdate = sortOf("store update", kinds.internal);
const fetching = sortOf("GET", kinds.client, { "http.request.method": "GET" });

/** Starts to trace. */
export async function openTraces(
  plan: TracesPlan,
  { resource, log }: { readonly resource: resources.Resource; readonly log: Log },
): Promise<Traces> {
  const { sender, destroy } = await openSpanSender(plan.connection);
  const delivery = openDelivery("traces", plan.connection, log);
  const sampling = openSampling(plan.sampler);
  const begin = openBatches({ resource, scope: { name: "authz", version } });
  const queue = openSpanQueue({ begin, sender, delivery }, plan.queue);
  const sortOfCall = sortsOfCalls();
  const calls = new Map<string, TracedCall>();
  /** The call that is answered; most have no trace, and then nobody has to look for theirs. */
  const callOf = (callId: string): TracedCall | undefined => (calls.size === 0 ? undefined : calls.get(callId));
  /** Below which span something is fetched that is asked for in this turn of the event loop. */
  let asking: SpanContext | undefined;

  const spanOf = (traceId: string, traceFlags: number, { traceState }: Pick<SpanContext, "traceState"> = {}): SpanContext => {
    const spanId = sampling.spanId();
    return traceState === undefined ? { traceId, spanId, traceFlags } : { traceId, spanId, traceFlags, traceState };
  };
  const below = (parent: SpanContext): SpanContext => spanOf(parent.traceId, parent.traceFlags, parent);
  /** The span of a trace that begins here. */
  const root = (): SpanContext => {
    const traceId = sampling.traceId();
    return spanOf(traceId, sampling.samples(traceId) ? TraceFlags.SAMPLED : TraceFlags.NONE);
  };

  return {
    observer: {
      begin: ({ call, callId, at }) => {
        const parent = callersSpan(call.headers);
        const traceId = parent === undefined ? sampling.drawSampled() : parent.traceId;
        if (traceId === undefined) return; // a trace of which nobody knows
        const traceFlags = parent === undefined || sampling.follows(parent) ? TraceFlags.SAMPLED : TraceFlags.NONE;
        calls.set(callId, { span: spanOf(traceId, traceFlags, parent), parent, at, began: performance.now() });
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
    traceId: (callId) => callOf(callId)?.span.traceId,
    beginSpan: (name, callId) => {
      const call = callOf(callId);
      if (call === undefined) return nothingToEnd;
      // Below a span that nobody records there is none; what is asked of others still belongs to its trace.
      const isRecorded = isSampled(call.span);
      const span = isRecorded ? below(call.span) : call.span;
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
    store: (event) => {
      if ((event.kind !== "loaded" && event.kind !== "failed") || event.compileMilliseconds === undefined) return;
      const context = root();
      if (!isSampled(context)) return;
      const end = event.kind === "loaded" ? event.at : Date.now();
      const about = { sort: storeUpdate, context, parent: undefined, start: end - event.compileMilliseconds, end };
      if (event.kind === "failed") return queue.add({ ...about, attributes: [], trouble: "the last good set keeps answering" });
      queue.add({
        ...about,
        attributes: [
          [names.policies, event.policies],
          [names.created, event.created],
          [names.updated, event.updated],
          [names.deleted, event.deleted],
        ],
        trouble: undefined,
      });
    },
    carried: (fetchText) => async (url, bounds) => {
      const parent = asking;
      const context = parent === undefined ? root() : below(parent);
      const start = performance.timeOrigin + performance.now();
      const end = (error?: unknown): void => {
        if (!isSampled(context)) return;
        queue.add({
          sort: fetching,
          context,
          parent,
          start,
          end: performance.timeOrigin + performance.now(),
          attributes: [
            [names.url, `${url.origin}${url.pathname}`],
            [names.server, url.hostname],
          ],
          trouble: error === undefined ? undefined : messageOf(error),
        });
      };
      try {
        const fetched = await fetchText(url, { ...bounds, headers: headersOf(context) });
        end();
        return fetched;
      } catch (error) {
        end(error);
        throw error;
      }
    },
    shutdown: () => {
      delivery.close();
      return queue.shutdown();
    },
    destroy,
  };
}

const isSampled = ({ traceFlags }: SpanContext): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0;

/** What the spans of a method's calls say alike, over each transport. */
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
