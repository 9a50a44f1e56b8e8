/** What arrives at a collector, over either protocol and with every kind of TLS, and what happens when it does not. */
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { collector, ours, writeFiles } from "./files.ts";
import { openReceiver, type Receiver, type ReceiverOptions } from "./receiver.ts";
import type { Metric } from "./received.ts";
import { open, type Environment, type OpenTelemetry } from "./telemetry.ts";

const files = writeFiles();
afterAll(files.remove);

const opened: { readonly receivers: Receiver[]; readonly telemetry: OpenTelemetry[] } = { receivers: [], telemetry: [] };
afterEach(async () => {
  for (const one of opened.telemetry.splice(0)) await one.close(100);
  for (const one of opened.receivers.splice(0)) await one.close();
});

const long = "600000";
const patience = { timeout: 20_000, interval: 10 } as const;
const protocols = ["grpc", "http/protobuf"] as const;

async function receive(options: ReceiverOptions): Promise<Receiver> {
  const receiver = await openReceiver(options);
  opened.receivers.push(receiver);
  return receiver;
}

/** Everything goes to one collector, soon. */
async function sendTo(receiver: Receiver, protocol: string, environment: Environment = {}): Promise<OpenTelemetry> {
  const telemetry = await open({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_METRIC_EXPORT_INTERVAL: "150",
    OTEL_BSP_SCHEDULE_DELAY: "10",
    OTEL_TRACES_SAMPLER: "always_on",
    ...environment,
  });
  opened.telemetry.push(telemetry);
  return telemetry;
}

/** For what is to arrive with the first export: none takes longer than their interval. */
const patient = { OTEL_METRIC_EXPORT_INTERVAL: "2000" };
/** For what is not to arrive. */
const hasty = { OTEL_EXPORTER_OTLP_TIMEOUT: "300" };

const arrived = (receiver: Receiver): Promise<unknown> =>
  vi.waitUntil(() => receiver.spans().length > 0 && receiver.metrics().length > 0, patience);
const troubles = (telemetry: OpenTelemetry): readonly string[] =>
  telemetry
    .logged()
    .filter((line) => line["log.level"] === "warn")
    .map((line) => String(line["message"]));
const failed = (telemetry: OpenTelemetry): Promise<unknown> =>
  vi.waitUntil(
    () => ["traces", "metrics"].every((signal) => troubles(telemetry).some((line) => line.startsWith(`${signal} cannot be sent`))),
    patience,
  );

describe.each(protocols)("over %s", (protocol) => {
  test("spans arrive with their parents, their service and what they are about", async () => {
    const receiver = await receive({ protocol });
    const telemetry = await sendTo(receiver, protocol, {
      OTEL_SERVICE_NAME: "pdp",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test",
    });
    telemetry.call({}, 13);
    await vi.waitUntil(() => receiver.spans().length === 2, patience);
    const [decide, call] = receiver.spans();
    expect(call).toMatchObject({
      name: "authz.svc.v1.AuthzService/CheckResources",
      kind: "SERVER",
      parentId: "",
      status: { code: "ERROR", message: "INTERNAL" },
      scope: { name: "authz" },
      resource: { "service.name": "pdp", "deployment.environment": "test", "telemetry.sdk.name": "opentelemetry" },
      attributes: {
        "rpc.system": "http",
        "rpc.service": "authz.svc.v1.AuthzService",
        "rpc.method": "CheckResources",
        "rpc.grpc.status_code": 13,
        "network.protocol.name": "http",
        "client.address": "192.0.2.1",
        "authz.call_id": "call-1",
        "authz.resources": 1,
      },
    });
    expect(decide).toMatchObject({
      name: "decide",
      kind: "INTERNAL",
      parentId: call?.spanId,
      traceId: call?.traceId,
      status: { code: "UNSET" },
    });
    expect(call !== undefined && call.end >= call.start).toBe(true);
  });

  test("metrics arrive under the names, labels, types and values of the Prometheus text", async () => {
    const receiver = await receive({ protocol });
    const telemetry = await sendTo(receiver, protocol);
    telemetry.call();
    telemetry.call({}, 13);
    telemetry.metrics.auditFailed("decision");
    const checks = (metrics: readonly Metric[]): Metric | undefined =>
      metrics.findLast(({ name }) => name === "authz_dev_engine_check_latency");
    await vi.waitUntil(() => checks(receiver.metrics())?.points.reduce((sum, { value }) => sum + value, 0) === 2, patience);

    const latest = new Map(receiver.metrics().map((metric) => [metric.name, metric]));
    const scraped = await telemetry.metrics.collect();
    expect([...latest.keys()].toSorted()).toEqual(scraped.map(({ name }) => name).toSorted());
    const own = scraped.filter(({ name }) => name.startsWith("authz_") && !name.includes("seconds_since"));
    expect(own.length).toBeGreaterThan(15);
    for (const { name, type, help, samples } of own) {
      const metric = latest.get(name);
      expect(metric).toMatchObject({
        description: help,
        type: type === "counter" ? "sum" : type,
        monotonic: type === "counter",
        temporality: type === "gauge" ? "" : "CUMULATIVE",
        resource: { "service.name": "authz" },
        scope: { name: "authz" },
      });
      expect(metric?.points.map(({ attributes, value, sum, bounds, counts }) => ({ attributes, value, sum, bounds, counts }))).toEqual(
        samples.map(({ labels, value, distribution }) => ({
          attributes: labels,
          value,
          sum: distribution?.sum,
          bounds: distribution === undefined ? undefined : [...distribution.bounds],
          counts: distribution?.counts,
        })),
      );
      expect(metric?.points.every(({ start, time }) => type === "gauge" || (start > 0n && start < time))).toBe(true);
    }
  });

  test("headers and compression are as the operator wishes", async () => {
    const receiver = await receive({ protocol });
    const telemetry = await sendTo(receiver, protocol, {
      OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Bearer%20hunter2",
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: "x-tenant=acme",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    });
    telemetry.call();
    await arrived(receiver);
    const of = (path: string): { readonly [name: string]: string } | undefined =>
      receiver.asked().find((asked) => asked["path"]?.toLowerCase().includes(path));
    expect(of("trace")).toMatchObject({ authorization: "Bearer hunter2" });
    expect(of("trace")).not.toHaveProperty("x-tenant");
    expect(of("metrics")).toMatchObject({ authorization: "Bearer hunter2", "x-tenant": "acme" });
    if (protocol === "http/protobuf") expect(of("trace")).toMatchObject({ "content-encoding": "gzip" });
    expect(JSON.stringify(telemetry.logged())).not.toContain("hunter2");
  });

  const both = (suffix: string, value: string): Environment => ({
    [`OTEL_EXPORTER_OTLP_TRACES_${suffix}`]: value,
    [`OTEL_EXPORTER_OTLP_METRICS_${suffix}`]: value,
  });
  const trusting = both("CERTIFICATE", files.ca);
  const showing = { ...both("CLIENT_CERTIFICATE", files.clientCertificate), ...both("CLIENT_KEY", files.clientKey) };
  const stranger = { ...both("CLIENT_CERTIFICATE", files.strangerCertificate), ...both("CLIENT_KEY", files.strangerKey) };
  const elsewhere = ours.issue({ names: ["elsewhere.example"] });
  const expired = ours.issue({ names: ["127.0.0.1"], expired: true });
  const mutual = { ...collector, clientAuthority: ours.certificate };

  test.each([
    ["a collector of an authority that is trusted gets everything", collector, trusting],
    ["INSECURE takes any certificate", collector, both("INSECURE", "true")],
    ["INSECURE takes even one that is expired, of another name", expired, both("INSECURE", "true")],
    ["a collector that wants to see a certificate sees one", mutual, { ...trusting, ...showing }],
  ] as const)("%s", async (_, tls, environment) => {
    const receiver = await receive({ protocol, tls });
    const telemetry = await sendTo(receiver, protocol, { ...environment, ...patient });
    telemetry.call();
    await arrived(receiver);
    expect(troubles(telemetry).filter((line) => !line.startsWith("insecure:"))).toEqual([]);
  });

  test.each([
    ["a collector of an unknown authority gets nothing", collector, {}],
    ["a collector of another authority gets nothing", collector, both("CERTIFICATE", files.otherCa)],
    ["a collector of another name gets nothing", elsewhere, trusting],
    ["a collector whose certificate is expired gets nothing", expired, trusting],
    ["a collector that wants to see a certificate takes nothing without", mutual, trusting],
    ["a collector that wants to see a certificate takes none of a stranger", mutual, { ...trusting, ...stranger }],
  ] as const)("%s, and the log says why", async (_, tls, environment) => {
    const receiver = await receive({ protocol, tls });
    const telemetry = await sendTo(receiver, protocol, { ...environment, ...hasty });
    telemetry.call();
    await failed(telemetry);
    expect([receiver.spans(), receiver.metrics()]).toEqual([[], []]);
  });

  test.each([
    ["gets everything", collector, true],
    ["but has a certificate for another address gets nothing", ours.issue({ names: ["localhost", "127.0.0.2"] }), false],
  ] as const)("a collector that is named by its address %s", async (_, tls, isTrusted) => {
    const warned: unknown[] = [];
    const warn = (warning: Error): void => void warned.push(warning);
    process.on("warning", warn);
    const receiver = await receive({ protocol, tls });
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: `https://127.0.0.1:${receiver.port}`, ...(isTrusted ? patient : hasty) };
    const telemetry = await sendTo(receiver, protocol, { ...trusting, ...environment });
    telemetry.call();
    await (isTrusted ? arrived(receiver) : failed(telemetry));
    process.off("warning", warn);
    expect([warned, troubles(telemetry).length, receiver.spans().length > 0]).toEqual([[], isTrusted ? 0 : 2, isTrusted]);
  });

  test.each([
    ["refuses", "refuse", "it answers with the gRPC code 7", "it answers with status 403"],
    ["is busy", "busy", "it answers with the gRPC code UNAVAILABLE", "it answers that it cannot take them now"],
  ] as const)("a collector that %s is told of once for each signal, without its words", async (_, manner, overGrpc, overHttp) => {
    const receiver = await receive({ protocol });
    receiver.behave(manner);
    const telemetry = await sendTo(receiver, protocol, hasty);
    telemetry.call();
    await vi.waitUntil(() => receiver.asked().length > 6, patience);
    await failed(telemetry);
    const why = protocol === "grpc" ? overGrpc : overHttp;
    const at = (signal: string): string => receiver.endpoint + (protocol === "grpc" ? "" : `/v1/${signal}`);
    expect(troubles(telemetry).toSorted()).toEqual([
      `metrics cannot be sent to ${at("metrics")}: ${why}; decisions go on without them`,
      `traces cannot be sent to ${at("traces")}: ${why}; decisions go on without them`,
    ]);
  });

  test("a collector that comes back gets what waited, and the log says so", async () => {
    const gone = await receive({ protocol });
    await gone.close();
    const telemetry = await sendTo(gone, protocol);
    const callId = telemetry.call();
    const gaveUp = (line: string): boolean => line.startsWith("metrics cannot be sent");
    await vi.waitUntil(() => troubles(telemetry).some(gaveUp), patience);
    expect(troubles(telemetry).find(gaveUp)).toMatch(
      /: (?:14 UNAVAILABLE: (?:No connection established|read ECONNRESET|connect ECONNREFUSED [\d.:]+)|connect ECONNREFUSED [\d.:]+); decisions go on without them$/,
    );
    const back = await receive({ protocol, port: gone.port });
    await vi.waitUntil(() => back.spans().some(({ attributes }) => attributes["authz.call_id"] === callId), patience);
    const said = (): readonly unknown[] => telemetry.logged().map((line) => line["message"]);
    await vi.waitUntil(() => said().some((line) => String(line).startsWith("metrics arrive again at")), patience);
  });

  test("a collector that hangs keeps neither calls nor memory nor the shutdown", async () => {
    const receiver = await receive({ protocol });
    receiver.behave("hang");
    const telemetry = await sendTo(receiver, protocol, {
      OTEL_EXPORTER_OTLP_TIMEOUT: long,
      OTEL_METRIC_EXPORT_TIMEOUT: long,
      OTEL_BSP_EXPORT_TIMEOUT: long,
      OTEL_BSP_MAX_QUEUE_SIZE: "50",
    });
    telemetry.call();
    await vi.waitUntil(() => receiver.asked().length > 1, patience);
    for (let count = 0; count < 1000; count++) telemetry.call();
    receiver.behave("take");
    await telemetry.close(1000);
    // Of two spans each, so many wait that there is room for; what hangs stays where it is.
    expect(receiver.spans()).toHaveLength(50);
    expect(troubles(telemetry).filter((line) => line.includes("dropped"))).toHaveLength(1);
  });
});

test("what waits is sent before the end", async () => {
  const receiver = await receive({ protocol: "grpc" });
  const telemetry = await sendTo(receiver, "grpc", { OTEL_BSP_SCHEDULE_DELAY: long, OTEL_METRIC_EXPORT_INTERVAL: long });
  telemetry.call();
  await telemetry.close(10_000);
  expect([receiver.spans().length, receiver.metrics().length > 0]).toEqual([2, true]);
});

test.each([
  // spans that go together at most, and requests for 40 of them
  ["1", 40],
  ["3", 14],
  ["512", 1],
])("spans go in batches of %s, each span once", async (batch, requests) => {
  const receiver = await receive({ protocol: "http/protobuf" });
  const telemetry = await sendTo(receiver, "http/protobuf", { OTEL_BSP_SCHEDULE_DELAY: long, OTEL_BSP_MAX_EXPORT_BATCH_SIZE: batch });
  const callIds = Array.from({ length: 20 }, () => telemetry.call());
  await telemetry.close(10_000);
  const arrivedIds = receiver.spans().flatMap(({ attributes }) => attributes["authz.call_id"] ?? []);
  expect([arrivedIds.length, new Set(arrivedIds)]).toEqual([20, new Set(callIds)]);
  expect(new Set(receiver.spans().map(({ spanId }) => spanId)).size).toBe(40);
  expect(receiver.asked().filter(({ path }) => path === "/v1/traces")).toHaveLength(requests);
});

test("the configuration can turn metrics off", async () => {
  const telemetry = await open(
    { OTEL_METRICS_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://127.0.0.1:1" },
    { enabled: false },
  );
  expect(troubles(telemetry)).toEqual(["OTEL_METRICS_EXPORTER is otlp, but the configuration turns metrics off: none are sent"]);
});

test("one line says what goes where, and no secret", async () => {
  const telemetry = await open({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://ann:hunter2@127.0.0.1:1/v1/traces?key=hunter3",
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf",
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://127.0.0.1:2",
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
  });
  opened.telemetry.push(telemetry);
  expect(telemetry.logged().map((line) => [line["log.level"], line["message"]])).toEqual([
    [
      "info",
      "traces go to http://127.0.0.1:1/v1/traces over http/protobuf (parentbased_traceidratio 0.1), metrics go to http://127.0.0.1:2 over grpc every 60 s, as service authz",
    ],
  ]);
});
