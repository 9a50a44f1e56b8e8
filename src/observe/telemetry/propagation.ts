/** Trace context propagation: reads the caller's span from the headers of a call, and writes ours into the requests that we send. */
import { isSpanContextValid, ROOT_CONTEXT, trace, type Context, type SpanContext, type TextMapGetter } from "@opentelemetry/api";
import { B3Propagator } from "@opentelemetry/propagator-b3";
import { core } from "@opentelemetry/sdk-node";
import type { CallHeaders } from "../../server/calls/call.ts";

const w3c = new core.W3CTraceContextPropagator();
const b3 = new B3Propagator();
const getter: TextMapGetter<CallHeaders> = { keys: () => [], get: (headers, name) => headers.get(name) };

/** Returns the caller's span, from W3C headers or else from B3; undefined when there is none or it is malformed. */
export function callersSpan(headers: CallHeaders): SpanContext | undefined {
  if (headers.get("traceparent") !== undefined) {
    const found = readable(w3c.extract(ROOT_CONTEXT, headers, getter));
    if (found !== undefined) return found;
  }
  if (headers.get("b3") === undefined && headers.get("x-b3-traceid") === undefined) return undefined;
  return readable(b3.extract(ROOT_CONTEXT, headers, getter));
}

/** Returns the W3C headers for a span. */
export function headersOf(span: SpanContext): { readonly [name: string]: string } {
  const headers = new Map<string, string>();
  w3c.inject(trace.setSpanContext(ROOT_CONTEXT, span), headers, { set: (carrier, name, value) => void carrier.set(name, value) });
  return Object.fromEntries(headers);
}

function readable(context: Context): SpanContext | undefined {
  const found = trace.getSpanContext(context);
  return found !== undefined && isSpanContextValid(found) ? found : undefined;
}
