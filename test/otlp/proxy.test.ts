/** Exports to a collector that only a proxy leads to. */
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { startProxy, type ProxyServer } from "../server/proxy.ts";
import { collector, ours, writeFiles } from "./files.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import { open, type OpenTelemetry } from "./telemetry.ts";

const files = writeFiles();
afterAll(files.remove);
const after: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const put of after.splice(0)) await put();
});

const patience = { timeout: 20_000, interval: 10 } as const;

/** A collector whose name only the proxy knows, and who wants to see a certificate; and telemetry that is sent there. */
async function opened(protocol: "grpc" | "http/protobuf", variable: string): Promise<readonly [Receiver, ProxyServer, OpenTelemetry]> {
  const proxy = await startProxy();
  const receiver = await openReceiver({ protocol, tls: { ...collector, clientAuthority: ours.certificate } });
  vi.stubEnv(variable, `http://localhost:${proxy.port}`);
  const telemetry = await open({
    OTEL_EXPORTER_OTLP_ENDPOINT: `https://collector.example:${receiver.port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_EXPORTER_OTLP_CERTIFICATE: files.ca,
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: files.clientCertificate,
    OTEL_EXPORTER_OTLP_CLIENT_KEY: files.clientKey,
    OTEL_EXPORTER_OTLP_TIMEOUT: "1000",
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_METRIC_EXPORT_INTERVAL: "1500",
    OTEL_BSP_SCHEDULE_DELAY: "10",
    OTEL_TRACES_SAMPLER: "always_on",
  });
  after.push(() => telemetry.close(100), receiver.close, proxy.close);
  return [receiver, proxy, telemetry];
}

const warnings = (telemetry: OpenTelemetry): readonly string[] =>
  telemetry
    .logged()
    .filter((line) => line["log.level"] === "warn")
    .map((line) => String(line["message"]));

test.each([
  ["http/protobuf", "HTTPS_PROXY"],
  ["grpc", "https_proxy"], // which grpc-js reads itself, in lower case alone
] as const)("over %s arrive through the proxy that %s names", async (protocol, variable) => {
  const [receiver, proxy, telemetry] = await opened(protocol, variable);
  telemetry.call();
  await vi.waitUntil(() => receiver.spans().length > 0 && receiver.metrics().length > 0, patience);
  expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT collector.example:${receiver.port}`]));
  expect(warnings(telemetry)).toEqual([]);
});

test("what a proxy refuses is told of, and sent when it lets them through", async () => {
  const [receiver, proxy, telemetry] = await opened("http/protobuf", "HTTPS_PROXY");
  proxy.setFault({ kind: "status", status: 403 });
  telemetry.call();
  await vi.waitUntil(() => warnings(telemetry).length === 2, patience);
  const why = `the proxy localhost:${proxy.port} (HTTPS_PROXY) does not connect to collector.example:${receiver.port}: status 403`;
  const at = `https://collector.example:${receiver.port}/v1/`;
  expect(warnings(telemetry).toSorted()).toEqual([
    `metrics cannot be sent to ${at}metrics: ${why}; decisions go on without them`,
    `traces cannot be sent to ${at}traces: ${why}; decisions go on without them`,
  ]);
  proxy.setFault({ kind: "none" });
  telemetry.call();
  await vi.waitUntil(() => receiver.spans().length > 0 && receiver.metrics().length > 0, patience);
});

test("a proxy that does not answer is given up when exports end", async () => {
  const [, proxy, telemetry] = await opened("http/protobuf", "HTTPS_PROXY");
  proxy.setFault({ kind: "hang" });
  telemetry.call();
  await vi.waitUntil(() => proxy.connections() > 0, patience);
  await telemetry.close(100);
  await vi.waitUntil(() => proxy.connections() === 0, patience);
});
