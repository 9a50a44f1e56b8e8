/** What a collector reads in an export: the messages of OTLP by their official names and numbers -> spans and metrics in plain words. */
import { loadSync, type MethodDefinition } from "@grpc/proto-loader";
import { join } from "node:path";

const definition = loadSync(["trace_service.proto", "metrics_service.proto"], {
  includeDirs: [join(import.meta.dirname, "proto")],
  keepCase: false,
  longs: String,
  enums: String,
  defaults: true,
  oneofs: true,
  arrays: true,
});

export interface Attributes {
  readonly [name: string]: string | number | boolean;
}

/** Who sent it. */
interface Sender {
  readonly resource: Attributes;
  readonly scope: { readonly name: string; readonly version: string };
}

export interface Span extends Sender {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** "" of a root. */
  readonly parentId: string;
  readonly traceState: string;
  readonly kind: string;
  readonly attributes: Attributes;
  readonly status: { readonly code: string; readonly message: string };
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
}

export interface Metric extends Sender {
  readonly name: string;
  readonly description: string;
  readonly type: "gauge" | "sum" | "histogram";
  readonly monotonic: boolean;
  readonly temporality: string;
  readonly points: readonly Point[];
}

export interface Point {
  readonly attributes: Attributes;
  readonly start: bigint;
  readonly time: bigint;
  /** Of a histogram: how many values. */
  readonly value: number;
  readonly sum?: number;
  readonly bounds?: readonly number[];
  readonly counts?: readonly number[];
}

export interface Received {
  readonly spans: readonly Span[];
  readonly metrics: readonly Metric[];
}

/** One of the two services of a collector. */
export interface Export {
  /** As gRPC calls it. */
  readonly path: string;
  /** As HTTP calls it, unless the operator says otherwise. */
  readonly route: string;
  readonly read: (bytes: Buffer) => Received;
  readonly emptyReply: () => Buffer;
}

export const exports: readonly Export[] = [
  exportOf("trace", "TraceService", (request) => ({ spans: spansOf(request), metrics: [] })),
  exportOf("metrics", "MetricsService", (request) => ({ spans: [], metrics: metricsOf(request) })),
];

function exportOf(signal: string, service: string, read: (request: Message) => Received): Export {
  const { path, requestDeserialize, responseSerialize } = methodOf(`opentelemetry.proto.collector.${signal}.v1.${service}`);
  return {
    path,
    route: signal === "trace" ? "/v1/traces" : "/v1/metrics",
    read: (bytes) => read(requestDeserialize(bytes)),
    emptyReply: () => responseSerialize({}),
  };
}

function methodOf(service: string): MethodDefinition<object, object> {
  const found = definition[service];
  if (found === undefined || "format" in found || found["Export"] === undefined) throw new Error(`no service ${service}`);
  return found["Export"];
}

function spansOf({ resourceSpans = [] }: Message): readonly Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map((span) => ({
        resource: attributesOf(resource.attributes),
        scope: { name: scope.name, version: scope.version },
        name: span.name,
        traceId: span.traceId.toString("hex"),
        spanId: span.spanId.toString("hex"),
        parentId: span.parentSpanId.toString("hex"),
        traceState: span.traceState,
        kind: span.kind.replace("SPAN_KIND_", ""),
        attributes: attributesOf(span.attributes),
        status: { code: (span.status?.code ?? "STATUS_CODE_UNSET").replace("STATUS_CODE_", ""), message: span.status?.message ?? "" },
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
      })),
    ),
  );
}

function metricsOf({ resourceMetrics = [] }: Message): readonly Metric[] {
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ scope, metrics }) =>
      metrics.map((metric) => {
        const data = metric.sum ?? metric.histogram ?? metric.gauge;
        return {
          resource: attributesOf(resource.attributes),
          scope: { name: scope.name, version: scope.version },
          name: metric.name,
          description: metric.description,
          type: metric.data,
          monotonic: metric.sum?.isMonotonic ?? false,
          temporality: (data?.aggregationTemporality ?? "").replace("AGGREGATION_TEMPORALITY_", ""),
          points: (data?.dataPoints ?? []).map(pointOf),
        };
      }),
    ),
  );
}

function pointOf(point: DataPoint): Point {
  const about = {
    attributes: attributesOf(point.attributes),
    start: BigInt(point.startTimeUnixNano),
    time: BigInt(point.timeUnixNano),
  };
  if (point.bucketCounts === undefined) return { ...about, value: point.asDouble ?? Number(point.asInt) };
  return {
    ...about,
    value: Number(point.count),
    sum: point.sum ?? 0,
    bounds: point.explicitBounds ?? [],
    counts: point.bucketCounts.map(Number),
  };
}

function attributesOf(pairs: readonly KeyValue[]): Attributes {
  return Object.fromEntries(
    pairs.map(({ key, value }) => [
      key,
      value.intValue === undefined ? (value.stringValue ?? value.boolValue ?? value.doubleValue ?? "") : Number(value.intValue),
    ]),
  );
}

interface KeyValue {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly boolValue?: boolean;
    readonly intValue?: string;
    readonly doubleValue?: number;
  };
}

interface DataPoint {
  readonly attributes: readonly KeyValue[];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly asInt?: string;
  readonly count?: string;
  readonly sum?: number;
  readonly bucketCounts?: readonly string[];
  readonly explicitBounds?: readonly number[];
}

interface Data {
  readonly dataPoints: readonly DataPoint[];
  readonly aggregationTemporality?: string;
  readonly isMonotonic?: boolean;
}

interface FromSender {
  readonly resource: { readonly attributes: readonly KeyValue[] };
}

interface InScope {
  readonly scope: { readonly name: string; readonly version: string };
}

/** Either request, as proto-loader makes it. */
interface Message {
  readonly resourceSpans?: readonly (FromSender & {
    readonly scopeSpans: readonly (InScope & {
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: Buffer;
        readonly spanId: Buffer;
        readonly parentSpanId: Buffer;
        readonly traceState: string;
        readonly kind: string;
        readonly attributes: readonly KeyValue[];
        readonly status?: { readonly code: string; readonly message: string };
        readonly startTimeUnixNano: string;
        readonly endTimeUnixNano: string;
      }[];
    })[];
  })[];
  readonly resourceMetrics?: readonly (FromSender & {
    readonly scopeMetrics: readonly (InScope & {
      readonly metrics: readonly {
        readonly name: string;
        readonly description: string;
        readonly data: "gauge" | "sum" | "histogram";
        readonly gauge?: Data;
        readonly sum?: Data;
        readonly histogram?: Data;
      }[];
    })[];
  })[];
}
