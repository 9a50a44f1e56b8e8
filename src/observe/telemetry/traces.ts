/** The spans of a server: one a call, below it what takes the time, and those of the store. */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type Span } from "@opentelemetry/api";
import { tracing, type resources } from "@opentelemetry/sdk-node";
import type { FetchText } from "../../texts/fetch-text.ts";
import { messageOf } from "../../refusal.ts";
import { unaryMethods } from "../../server/calls/call.ts";
import { codeName, codes } from "../../server/calls/reply.ts";
import { version } from "../../version.ts";
import type { BeginSpan, CallObserver, StoreEvent } from "../events.ts";
import type { Log } from "../log.ts";
import { openDelivery } from "./delivery.ts";
import { openSpanExporter } from "./exporters.ts";
import type { TracesPlan } from "./plan.ts";
import { callersContext, headersOf } from "./propagation.ts";
import { openTraceIds, samplerOf } from "./sampling.ts";
import { boundedProcessor } from "./span-queue.ts";

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
  readonly span: Span;
  readonly context: Context;
  readonly traceId: string;
}

/** Of the conventions for servers: codes that are the server's fault. A caller's mistake is no error of ours. */
const serverErrors: ReadonlySet<number> = new Set(
  [codes.UNKNOWN, codes.DEADLINE_EXCEEDED, codes.UNIMPLEMENTED, codes.INTERNAL, codes.UNAVAILABLE, codes.DATA_LOSS].map(({ code }) => code),
);
const nothingToEnd = (): void => undefined;

/** Starts to trace. */
export async function openTraces(
  plan: TracesPlan,
  { resource, log }: { readonly resource: resources.Resource; readonly log: Log },
): Promise<Traces> {
  const { exporter, destroy } = await openSpanExporter(plan.connection);
  const delivery = openDelivery("traces", plan.connection, log);
  const ids = openTraceIds(plan.sampler);
  const provider = new tracing.BasicTracerProvider({
    resource,
    sampler: samplerOf(plan.sampler),
    idGenerator: ids,
    spanProcessors: [boundedProcessor(exporter, delivery, plan.queue)],
    spanLimits,
    generalLimits: { attributeCountLimit: spanLimits.attributeCountLimit, attributeValueLengthLimit: spanLimits.attributeValueLengthLimit },
  });
  const tracer = provider.getTracer("authz", version);
  const calls = new Map<string, TracedCall>();
  /** Below which span something is fetched that is asked for in this turn of the event loop. */
  let asking: Context | undefined;

  const endOf = (span: Span) => (error?: unknown) => {
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) });
    span.end();
  };

  return {
    observer: {
      begin: ({ method, call, callId }) => {
        const parent = callersContext(call.headers);
        if (parent === undefined && !ids.drawSampled()) return; // a trace of which nobody knows
        const service = unaryMethods[method];
        const span = tracer.startSpan(`${service}/${method}`, { kind: SpanKind.SERVER }, parent ?? ROOT_CONTEXT);
        if (span.isRecording())
          span.setAttributes({
            "rpc.system": call.transport === "grpc" ? "grpc" : "http",
            "rpc.service": service,
            "rpc.method": method,
            "network.protocol.name": call.transport,
            "client.address": call.peer.replace(/:\d+$/, ""),
            "authz.call_id": callId,
          });
        calls.set(callId, { span, context: trace.setSpan(ROOT_CONTEXT, span), traceId: span.spanContext().traceId });
      },
      end: ({ callId }, { reply }) => {
        const call = calls.get(callId);
        if (call === undefined) return;
        calls.delete(callId);
        const { span } = call;
        if (!span.isRecording()) return;
        span.setAttribute("rpc.grpc.status_code", reply.code);
        if (reply.resources !== undefined) span.setAttribute("authz.resources", reply.resources);
        if (serverErrors.has(reply.code)) span.setStatus({ code: SpanStatusCode.ERROR, message: codeName(reply.code) });
        span.end();
      },
    },
    traceId: (callId) => calls.get(callId)?.traceId,
    beginSpan: (name, callId) => {
      const call = calls.get(callId);
      if (call === undefined) return nothingToEnd;
      // Below a span that nobody records there is none; what is asked of others still belongs to its trace.
      const span = call.span.isRecording() ? tracer.startSpan(name, {}, call.context) : undefined;
      if (name !== "decide") {
        asking = span === undefined ? call.context : trace.setSpan(ROOT_CONTEXT, span);
        queueMicrotask(() => (asking = undefined));
      }
      return span === undefined ? nothingToEnd : endOf(span);
    },
    store: (event) => {
      if ((event.kind !== "loaded" && event.kind !== "failed") || event.compileMilliseconds === undefined) return;
      const end = event.kind === "loaded" ? event.at : Date.now();
      const span = tracer.startSpan("store update", { startTime: end - event.compileMilliseconds }, ROOT_CONTEXT);
      if (event.kind === "failed") span.setStatus({ code: SpanStatusCode.ERROR, message: "the last good set keeps answering" });
      else
        span.setAttributes({
          "authz.policies": event.policies,
          "authz.policies.created": event.created,
          "authz.policies.updated": event.updated,
          "authz.policies.deleted": event.deleted,
        });
      span.end(end);
    },
    carried: (fetchText) => async (url, bounds) => {
      const parent = asking ?? ROOT_CONTEXT;
      const span = tracer.startSpan("GET", { kind: SpanKind.CLIENT }, parent);
      if (span.isRecording())
        span.setAttributes({ "http.request.method": "GET", "url.full": `${url.origin}${url.pathname}`, "server.address": url.hostname });
      const end = endOf(span);
      try {
        const fetched = await fetchText(url, { ...bounds, headers: headersOf(trace.setSpan(parent, span)) });
        end();
        return fetched;
      } catch (error) {
        end(error);
        throw error;
      }
    },
    shutdown: () => {
      delivery.close();
      return provider.shutdown();
    },
    destroy,
  };
}

/** Said here so that nobody looks for it in the environment. */
const spanLimits = {
  attributeCountLimit: 64,
  attributeValueLengthLimit: 1024,
  eventCountLimit: 16,
  linkCountLimit: 16,
  attributePerEventCountLimit: 16,
  attributePerLinkCountLimit: 16,
} as const;
