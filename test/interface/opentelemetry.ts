/** OpenTelemetry: each variable, as a collector sees what it does. */
import { expect } from "vitest";
import { collector, ours, writeFiles } from "../otlp/files.ts";
import { openReceiver, type Receiver, type ReceiverOptions } from "../otlp/receiver.ts";
import { eventually, startServer } from "../server/harness.ts";
import { expensePolicy, request } from "../server/policies.ts";
import { row, type Row, type Section } from "./section.ts";

type Environment = { readonly [name: string]: string };

const plain: ReceiverOptions = { protocol: "grpc" };
const secure: ReceiverOptions = { protocol: "grpc", tls: { certificate: collector.certificate, key: collector.key } };
const mutual: ReceiverOptions = { protocol: "grpc", tls: { ...collector, clientAuthority: ours.certificate } };

/** Runs a server in an environment, calls it so many times, and shows what came to the collector. */
async function exported(options: ReceiverOptions, environment: (receiver: Receiver) => Environment, calls = 1): Promise<Receiver> {
  const receiver = await openReceiver(options);
  const server = await startServer({ policies: { "expense.yaml": expensePolicy }, environment: environment(receiver) });
  for (let call = 0; call < calls; call++) await server.post("/api/check/resources", request);
  await server.stop(); // which sends what waits
  await receiver.close();
  return receiver;
}

const fast = { OTEL_METRIC_EXPORT_INTERVAL: "200", OTEL_METRIC_EXPORT_TIMEOUT: "150" };
const metricsTo = ({ endpoint }: Receiver): Environment => ({
  ...fast,
  OTEL_METRICS_EXPORTER: "otlp",
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint,
});
const tracesTo = ({ endpoint }: Receiver): Environment => ({
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
  OTEL_TRACES_SAMPLER: "always_on",
});

const metricNames = ({ metrics }: Receiver): ReadonlySet<string> => new Set(metrics().map(({ name }) => name));
const checks = ({ spans }: Receiver): number => spans().filter(({ name }) => name.endsWith("/CheckResources")).length;
const latency = "authz_dev_engine_check_latency";

/** A row whose variable brings metrics to a collector, and without which none arrive. */
function bringsMetrics(name: string, options: ReceiverOptions, variables: () => Environment): Row {
  return row(name, async () => {
    const without = await exported(options, (receiver) => ({ ...metricsTo(receiver), ...omit(variables(), name) }));
    expect(metricNames(without).has(latency)).toBe(false);
    expect(metricNames(await exported(options, (receiver) => ({ ...metricsTo(receiver), ...variables() }))).has(latency)).toBe(true);
  });
}

const omit = (environment: Environment, name: string): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([variable]) => !name.split(", ").includes(variable)));

const files = writeFiles();

export const openTelemetry: Section = {
  heading: "OpenTelemetry behaviour (environment variables)",
  rows: [
    row("OTEL_METRICS_EXPORTER", async () => {
      expect(metricNames(await exported(plain, metricsTo)).has(latency)).toBe(true);
      expect(metricNames(await exported(plain, (receiver) => omit(metricsTo(receiver), "OTEL_METRICS_EXPORTER"))).size).toBe(0);
    }),
    row("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", async () => {
      const elsewhere = await openReceiver(plain);
      const one = await exported(plain, (receiver) => ({
        ...metricsTo(receiver),
        OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: elsewhere.endpoint,
      }));
      expect([metricNames(one).size, metricNames(elsewhere).has(latency)]).toEqual([0, true]);
      await elsewhere.close();
    }),
    row("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", async () => {
      const over = (protocol: ReceiverOptions["protocol"]): Promise<Receiver> =>
        exported({ protocol }, (receiver) => ({
          ...metricsTo(receiver),
          OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: protocol === "grpc" ? receiver.endpoint : `${receiver.endpoint}/v1/metrics`,
          OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: protocol,
        }));
      expect(metricNames(await over("grpc")).has(latency)).toBe(true);
      expect(metricNames(await over("http/protobuf")).has(latency)).toBe(true);
    }),
    row("OTEL_METRIC_EXPORT_INTERVAL", async () => {
      const receiver = await openReceiver(plain);
      const server = await startServer({ policies: {}, environment: metricsTo(receiver) });
      await eventually(
        () => receiver.asked().length,
        (count) => count >= 3,
      ); // once a minute by default
      await server.stop();
      await receiver.close();
    }),
    row("OTEL_METRIC_EXPORT_TIMEOUT", async () => {
      const receiver = await openReceiver(plain);
      receiver.behave("hang");
      const server = await startServer({ policies: {}, environment: metricsTo(receiver) });
      await eventually(server.logged, (lines) => lines.some((line) => line["log.logger"] === "authz.otel" && line["log.level"] !== "info"));
      await server.stop();
      await receiver.close();
    }),
    bringsMetrics("OTEL_EXPORTER_OTLP_METRICS_INSECURE", secure, () => ({ OTEL_EXPORTER_OTLP_METRICS_INSECURE: "true" })),
    bringsMetrics("OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE", secure, () => ({ OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE: files.ca })),
    bringsMetrics("OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE, OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY", mutual, () => ({
      OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE: files.ca,
      OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE: files.clientCertificate,
      OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY: files.clientKey,
    })),
    row("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", async () => {
      expect(checks(await exported(plain, tracesTo))).toBe(1);
      expect(checks(await exported(plain, (receiver) => omit(tracesTo(receiver), "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")))).toBe(0);
    }),
    row("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", async () => {
      const over = await exported({ protocol: "http/protobuf" }, (receiver) => ({
        ...tracesTo(receiver),
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.endpoint}/v1/traces`,
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf",
      }));
      expect(checks(over)).toBe(1);
    }),
    row("OTEL_EXPORTER_OTLP_ENDPOINT", async () => {
      const receiver = await exported(plain, ({ endpoint }) => ({
        ...fast,
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_METRICS_EXPORTER: "otlp",
        OTEL_TRACES_SAMPLER: "always_on",
      }));
      expect([checks(receiver), metricNames(receiver).has(latency)]).toEqual([1, true]);
    }),
    row("OTEL_SERVICE_NAME", async () => {
      const { spans } = await exported(plain, (receiver) => ({ ...tracesTo(receiver), OTEL_SERVICE_NAME: "door" }));
      expect(spans()[0]?.resource["service.name"]).toBe("door");
    }),
    row("OTEL_TRACES_SAMPLER", async () => {
      const sampled = (OTEL_TRACES_SAMPLER: string): Promise<number> =>
        exported(plain, (receiver) => ({ ...tracesTo(receiver), OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG: "1" })).then(checks);
      expect({
        always_on: await sampled("always_on"),
        always_off: await sampled("always_off"),
        traceidratio: await sampled("traceidratio"),
        parentbased_always_on: await sampled("parentbased_always_on"),
        parentbased_traceidratio: await sampled("parentbased_traceidratio"),
      }).toEqual({ always_on: 1, always_off: 0, traceidratio: 1, parentbased_always_on: 1, parentbased_traceidratio: 1 });
    }),
    row("OTEL_TRACES_SAMPLER_ARG", async () => {
      const some = await exported(
        plain,
        (receiver) => ({ ...tracesTo(receiver), OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.5" }),
        100,
      );
      // Fewer than 15 or more than 85 of 100 would be a wonder.
      expect(checks(some)).toBeGreaterThan(15);
      expect(checks(some)).toBeLessThan(85);
    }),
  ],
};
