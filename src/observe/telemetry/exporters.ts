/** Opens the OpenTelemetry exporters with every option given explicitly, so that they read nothing from the environment but a proxy. */
import { credentials, logVerbosity, Metadata, setLogVerbosity, type ChannelCredentials } from "@grpc/grpc-js";
import type { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { metrics } from "@opentelemetry/sdk-node";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { proxyOf } from "../../outgoing/proxies.ts";
import { ProxyAgent } from "../../outgoing/proxy-agent.ts";
import type { Connection, Tls } from "./connection.ts";
import type { SpanSender } from "./span-queue.ts";

/** An exporter, and a function that destroys its sockets when time is up. */
export interface Opened<Exporter> {
  readonly exporter: Exporter;
  readonly destroy: () => void;
}

/** Opens an exporter of spans whose requests are already encoded. */
export async function openSpanSender(connection: Connection): Promise<{ readonly sender: SpanSender; readonly destroy: () => void }> {
  const { ProtobufTraceSerializer } = await import("@opentelemetry/otlp-transformer");
  const written = {
    serializeRequest: (request: Uint8Array): Uint8Array => request,
    deserializeResponse: (bytes: Uint8Array) => ProtobufTraceSerializer.deserializeResponse(bytes),
  };
  if (connection.protocol === "grpc") {
    const grpc = await import("@opentelemetry/otlp-grpc-exporter-base");
    const options = grpc.convertLegacyOtlpGrpcOptions(grpcOptions(connection), "TRACES");
    const [name, path] = ["TraceExportService", "/opentelemetry.proto.collector.trace.v1.TraceService/Export"];
    const sender = grpc.createOtlpGrpcExportDelegate(options, written, "otlp_grpc_span_exporter", uncounted, undefined, name, path);
    return { sender, destroy: () => undefined };
  }
  const http = await import("@opentelemetry/otlp-exporter-base/node-http");
  const { options, destroy } = httpOptions(connection);
  const whole = http.convertLegacyHttpOptions(options, "TRACES", "v1/traces", { "Content-Type": "application/x-protobuf" });
  return { sender: http.createOtlpHttpExportDelegate(whole, written, "otlp_http_span_exporter", uncounted, undefined), destroy };
}

/** Disables the packages' metrics about themselves. */
const uncounted = { name: "span", countItems: () => 0 } as const;

/** Opens an exporter of metrics, with cumulative temporality. */
export async function openMetricExporter(connection: Connection): Promise<Opened<metrics.PushMetricExporter>> {
  if (connection.protocol === "grpc") {
    const grpc = await import("@opentelemetry/exporter-metrics-otlp-grpc");
    return {
      exporter: new grpc.OTLPMetricExporter({ ...grpcOptions(connection), temporalityPreference: cumulative }),
      destroy: () => undefined,
    };
  }
  const proto = await import("@opentelemetry/exporter-metrics-otlp-proto");
  const { options, destroy } = httpOptions(connection);
  return { exporter: new proto.OTLPMetricExporter({ ...options, temporalityPreference: cumulative }), destroy };
}

const cumulative = metrics.AggregationTemporality.CUMULATIVE;

function grpcOptions(connection: Connection): {
  readonly url: string;
  readonly credentials: ChannelCredentials;
  readonly metadata: Metadata;
  readonly timeoutMillis: number;
  readonly compression: Compression;
} {
  setLogVerbosity(logVerbosity.NONE); // This is another copy of grpc-js than the server's; failures are logged elsewhere.
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(connection.headers)) metadata.set(name, value);
  const { target, tls, timeoutMilliseconds } = connection;
  const trust = tls === undefined ? credentials.createInsecure() : secureCredentials(tls, target);
  return { url: target, credentials: trust, metadata, timeoutMillis: timeoutMilliseconds, compression: compressionOf(connection) };
}

function secureCredentials({ authority, client, verify }: Tls, target: string): ChannelCredentials {
  const host = target.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  const secure = credentials.createSsl(authority ?? null, client?.key ?? null, client?.certificate ?? null, {
    rejectUnauthorized: verify,
    ...(isIP(host) !== 0 && { checkServerIdentity: (_name: string, found: PeerCertificate) => checkServerIdentity(host, found) }),
  });
  return isIP(host) === 0 ? secure : underAnotherName(secure);
}

/**
 * TLS server names cannot be IP addresses (RFC 6066, section 3), and Node 26 throws where grpc-js sends one: another name is sent. The
 * exporters accept no channel options, so they are added here.
 */
function underAnotherName(secure: ChannelCredentials): ChannelCredentials {
  const connect = secure._createSecureConnector.bind(secure);
  secure._createSecureConnector = (target, options, call) =>
    connect(target, { ...options, "grpc.ssl_target_name_override": "localhost" }, call);
  return secure;
}

interface HttpOptions {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly timeoutMillis: number;
  readonly compression: Compression;
  readonly httpAgentOptions: () => HttpAgent;
}

function httpOptions(connection: Connection): { readonly options: HttpOptions; readonly destroy: () => void } {
  const { target, tls, headers, timeoutMilliseconds } = connection;
  const agent = tls === undefined ? new HttpAgent({ keepAlive: true }) : secureAgent(new URL(target), tls, timeoutMilliseconds);
  return {
    options: {
      url: target,
      headers,
      timeoutMillis: timeoutMilliseconds,
      compression: compressionOf(connection),
      httpAgentOptions: () => agent,
    },
    destroy: () => agent.destroy(),
  };
}

function secureAgent(url: URL, { verify, authority, client }: Tls, milliseconds: number): HttpsAgent {
  const trust = {
    rejectUnauthorized: verify,
    ...(authority !== undefined && { ca: authority }),
    ...(client !== undefined && { cert: client.certificate, key: client.key }),
  };
  const proxy = proxyOf(url);
  return proxy === undefined ? new HttpsAgent({ keepAlive: true, ...trust }) : new ProxyAgent(proxy, { url, trust, milliseconds });
}

type Compression = NonNullable<NonNullable<ConstructorParameters<typeof OTLPMetricExporter>[0]>["compression"]>;

function compressionOf({ gzip }: Connection): Compression {
  // The values of an enum that the packages do not export.
  return (gzip ? "gzip" : "none") as Compression;
}
