/** OpenTelemetry, loaded only when the environment asks for it: exports traces of calls, and the server's metrics. */
import type { Environment } from "../../config/environment.ts";
import type { FetchText } from "../../outgoing/fetch-text.ts";
import type { BeginSpan, CallObserver, StoreEvent } from "../events.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { readPlan, type Plan } from "./plan.ts";

/** What is exported. */
export interface Telemetry {
  /** Absent when calls are not traced. It must be the last observer, because the others may ask for the trace of a call. */
  readonly observer: CallObserver | undefined;
  readonly beginSpan: BeginSpan | undefined;
  /** Absent when nothing is traced. */
  readonly store: ((event: StoreEvent) => void) | undefined;
  /** Wraps a function that fetches, so that requests carry the trace; absent when nothing is traced. */
  readonly tracedFetch: ((fetchText: FetchText) => FetchText) | undefined;
  /** Returns the trace id of a call in progress, for log lines and audit entries. */
  readonly traceId: (callId: string) => string | undefined;
  /** Exports pending data, within the given number of milliseconds, and closes. */
  readonly close: (milliseconds: number) => Promise<void>;
}

/** Options of the export. */
export interface TelemetryOptions {
  readonly metrics: Metrics;
  readonly log: Log;
  /** Set when another process exports the metrics of all and has logged the plan. */
  readonly isKnown?: boolean;
}

const nothing: Telemetry = {
  observer: undefined,
  beginSpan: undefined,
  store: undefined,
  tracedFetch: undefined,
  traceId: () => undefined,
  close: async () => undefined,
};

/** Opens it; throws a refusal that lists every invalid environment variable. */
export async function openTelemetry(environment: Environment, options: TelemetryOptions): Promise<Telemetry> {
  const { log, isKnown = false } = options;
  const read = readPlan(environment);
  if (!isKnown) for (const warning of read.warnings) log.warn(warning);
  const wanted = !isKnown && (read.metrics === undefined || options.metrics.enabled);
  if (!wanted && !isKnown) log.warn("OTEL_METRICS_EXPORTER is otlp, but the configuration turns metrics off: none are sent");
  const plan: Plan = wanted ? read : { ...read, metrics: undefined };
  if (plan.traces === undefined && plan.metrics === undefined) return nothing;

  const { startExport } = await import("./export.ts");
  const { traces, close } = await startExport(plan, options);
  if (!isKnown) log.info(sentenceOf(plan));
  return {
    observer: traces?.observer,
    beginSpan: traces?.beginSpan,
    store: traces?.store,
    tracedFetch: traces?.tracedFetch,
    traceId: traces?.traceId ?? nothing.traceId,
    close,
  };
}

/** Describes the plan without secrets. */
function sentenceOf({ traces, metrics, resource }: Plan): string {
  const parts = [
    ...(traces === undefined
      ? []
      : [`traces go to ${traces.connection.shown} over ${traces.connection.protocol} (${samplingOf(traces.sampler)})`]),
    ...(metrics === undefined
      ? []
      : [`metrics go to ${metrics.connection.shown} over ${metrics.connection.protocol} every ${metrics.intervalMilliseconds / 1000} s`]),
  ];
  return `${parts.join(", ")}, as service ${resource["service.name"]}`;
}

function samplingOf({ kind, ratio }: NonNullable<Plan["traces"]>["sampler"]): string {
  if (kind === "parentbased_always_off") return `${kind}: of calls whose caller's trace is sampled`;
  return kind.endsWith("ratio") ? `${kind} ${ratio}` : kind;
}
