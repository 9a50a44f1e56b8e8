/** Every variable of OpenTelemetry that is followed: what it says, what is refused, and what the operator is told. */
import { afterAll, describe, expect, test } from "vitest";
import { readPlan, type Plan } from "../../src/observe/telemetry/plan.ts";
import { isRefusal } from "../../src/refusal.ts";
import { writeFiles } from "./files.ts";
import type { Environment } from "./telemetry.ts";

const files = writeFiles();
afterAll(files.remove);

const traced = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://collector:4317" } as const;
const measured = { OTEL_METRICS_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://collector:4317" } as const;
const both = { ...traced, ...measured } as const;
const secure = { ...measured, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "https://collector:4317" } as const;
const mutual = {
  OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE: files.clientCertificate,
  OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY: files.clientKey,
} as const;

type Row = readonly [sentence: string, environment: Environment, of: (plan: Plan) => unknown, wanted: unknown];

const traces: readonly Row[] = [
  ["without an endpoint nothing is traced", {}, ({ traces: found }) => found, undefined],
  ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT enables tracing", traced, ({ traces: found }) => found?.connection.shown, "http://collector:4317"],
  [
    "OTEL_EXPORTER_OTLP_ENDPOINT enables it too",
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://all:4317" },
    ({ traces: found }) => found?.connection.shown,
    "http://all:4317",
  ],
  [
    "the endpoint of traces wins over the general one",
    { ...traced, OTEL_EXPORTER_OTLP_ENDPOINT: "http://all:4317" },
    ({ traces: found }) => found?.connection.target,
    "collector:4317",
  ],
  [
    "a variable that is set to nothing is not set",
    { ...traced, OTEL_TRACES_SAMPLER: " " },
    ({ traces: found }) => found?.sampler.kind,
    "parentbased_always_off",
  ],
  ["OTEL_TRACES_EXPORTER=none turns tracing off", { ...traced, OTEL_TRACES_EXPORTER: "none" }, ({ traces: found }) => found, undefined],
  [
    "OTEL_SDK_DISABLED=true turns everything off",
    { ...both, OTEL_SDK_DISABLED: "true" },
    (plan) => [plan.traces, plan.metrics],
    [undefined, undefined],
  ],
  ["OTEL_SDK_DISABLED=false turns nothing off", { ...both, OTEL_SDK_DISABLED: "FALSE" }, (plan) => plan.traces === undefined, false],
  ["the protocol of traces is grpc by default", traced, ({ traces: found }) => found?.connection.protocol, "grpc"],
  [
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL can be http/protobuf",
    { ...traced, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf" },
    ({ traces: found }) => found?.connection.protocol,
    "http/protobuf",
  ],
  [
    "OTEL_EXPORTER_OTLP_PROTOCOL is for both",
    { ...both, OTEL_EXPORTER_OTLP_PROTOCOL: "HTTP/protobuf" },
    (plan) => [plan.traces?.connection.protocol, plan.metrics?.connection.protocol],
    ["http/protobuf", "http/protobuf"],
  ],
  [
    "over HTTP the endpoint of a signal is taken as it is",
    { OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://collector:4318/custom/path" },
    ({ traces: found }) => found?.connection.target,
    "http://collector:4318/custom/path",
  ],
  [
    "over HTTP each signal adds its path to the general endpoint",
    {
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/otlp/",
      OTEL_METRICS_EXPORTER: "otlp",
    },
    (plan) => [plan.traces?.connection.target, plan.metrics?.connection.target],
    ["http://collector:4318/otlp/v1/traces", "http://collector:4318/otlp/v1/metrics"],
  ],
  [
    "over gRPC a URL without a port means that of its scheme",
    {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://collector",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector",
      OTEL_METRICS_EXPORTER: "otlp",
    },
    (plan) => [plan.traces?.connection.target, plan.metrics?.connection.target],
    ["collector:443", "collector:80"],
  ],
  [
    "over gRPC an endpoint without a scheme is secure",
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "collector:4317" },
    ({ traces: found }) => [found?.connection.target, found?.connection.tls],
    ["collector:4317", { verify: true }],
  ],
  [
    "unless OTEL_EXPORTER_OTLP_INSECURE says otherwise",
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "collector:4317", OTEL_EXPORTER_OTLP_INSECURE: "true" },
    ({ traces: found }) => [found?.connection.target, found?.connection.tls],
    ["collector:4317", undefined],
  ],
  [
    "over gRPC a socket file will do",
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "unix:///run/otel.sock" },
    ({ traces: found }) => [found?.connection.target, found?.connection.tls],
    ["unix:///run/otel.sock", undefined],
  ],
  [
    "headers of the signal win over general ones, and are decoded",
    {
      ...traced,
      OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Bearer%20a,x-all=1",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "authorization=Basic b%3D, x-one=2",
    },
    ({ traces: found }) => found?.connection.headers,
    { authorization: "Basic b=", "x-all": "1", "x-one": "2" },
  ],
  ["an export takes 10 s at most", traced, ({ traces: found }) => found?.connection.timeoutMilliseconds, 10_000],
  [
    "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT and OTEL_EXPORTER_OTLP_TIMEOUT change that",
    { ...both, OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "700", OTEL_EXPORTER_OTLP_TIMEOUT: "900" },
    (plan) => [plan.traces?.connection.timeoutMilliseconds, plan.metrics?.connection.timeoutMilliseconds],
    [700, 900],
  ],
  [
    "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION and OTEL_EXPORTER_OTLP_COMPRESSION can be gzip",
    { ...both, OTEL_EXPORTER_OTLP_COMPRESSION: "gzip", OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: "none" },
    (plan) => [plan.traces?.connection.gzip, plan.metrics?.connection.gzip],
    [false, true],
  ],
  [
    "OTEL_BSP_* say how many spans wait, and how long",
    { ...traced, OTEL_BSP_MAX_QUEUE_SIZE: "100", OTEL_BSP_SCHEDULE_DELAY: "20", OTEL_BSP_EXPORT_TIMEOUT: "300" },
    ({ traces: found }) => found?.queue,
    { most: 100, batch: 100, delay: 20, timeout: 300 },
  ],
  [
    "usually 2048 wait, 512 go together, after 5 s",
    traced,
    ({ traces: found }) => found?.queue,
    { most: 2048, batch: 512, delay: 5000, timeout: 30_000 },
  ],
];

const samplers: readonly Row[] = [
  ["the caller decides by default", traced, ({ traces: found }) => found?.sampler, { kind: "parentbased_always_off", ratio: 1 }],
  ...["always_on", "always_off", "parentbased_always_on", "parentbased_always_off"].map((kind): Row => [
    `OTEL_TRACES_SAMPLER can be ${kind}`,
    { ...traced, OTEL_TRACES_SAMPLER: kind },
    ({ traces: found }) => found?.sampler,
    { kind, ratio: 1 },
  ]),
  ...["traceidratio", "parentbased_traceidratio"].flatMap((kind): readonly Row[] => [
    [
      `OTEL_TRACES_SAMPLER can be ${kind}, of 10 percent`,
      { ...traced, OTEL_TRACES_SAMPLER: kind },
      ({ traces: found }) => found?.sampler,
      { kind, ratio: 0.1 },
    ],
    [
      `OTEL_TRACES_SAMPLER_ARG is the ratio of ${kind}`,
      { ...traced, OTEL_TRACES_SAMPLER: kind, OTEL_TRACES_SAMPLER_ARG: "0.25" },
      ({ traces: found }) => found?.sampler,
      { kind, ratio: 0.25 },
    ],
  ]),
];

const metrics: readonly Row[] = [
  [
    "metrics are scraped, not sent, by default",
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://all:4317" },
    ({ metrics: found }) => found,
    undefined,
  ],
  ...["prometheus", "none"].map((exporter): Row => [
    `OTEL_METRICS_EXPORTER=${exporter} sends none`,
    { ...measured, OTEL_METRICS_EXPORTER: exporter },
    ({ metrics: found }) => found,
    undefined,
  ]),
  ["OTEL_METRICS_EXPORTER=otlp sends them", measured, ({ metrics: found }) => found?.connection.shown, "http://collector:4317"],
  [
    "OTEL_METRICS_EXPORTER may list several",
    { ...measured, OTEL_METRICS_EXPORTER: "otlp, prometheus" },
    ({ metrics: found }) => found?.connection.shown,
    "http://collector:4317",
  ],
  [
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT wins over the general endpoint",
    { ...measured, OTEL_EXPORTER_OTLP_ENDPOINT: "http://all:1" },
    ({ metrics: found }) => found?.connection.target,
    "collector:4317",
  ],
  [
    "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL wins over the general protocol",
    { ...both, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/protobuf" },
    (plan) => [plan.traces?.connection.protocol, plan.metrics?.connection.protocol],
    ["grpc", "http/protobuf"],
  ],
  [
    "they are sent every 60 s, each time within 30 s",
    measured,
    ({ metrics: found }) => [found?.intervalMilliseconds, found?.timeoutMilliseconds],
    [60_000, 30_000],
  ],
  [
    "OTEL_METRIC_EXPORT_INTERVAL and OTEL_METRIC_EXPORT_TIMEOUT change that",
    { ...measured, OTEL_METRIC_EXPORT_INTERVAL: "5000", OTEL_METRIC_EXPORT_TIMEOUT: "4000" },
    ({ metrics: found }) => [found?.intervalMilliseconds, found?.timeoutMilliseconds],
    [5000, 4000],
  ],
  [
    "no export may last longer than the interval",
    { ...measured, OTEL_METRIC_EXPORT_INTERVAL: "5000" },
    ({ metrics: found }) => [found?.intervalMilliseconds, found?.timeoutMilliseconds],
    [5000, 5000],
  ],
  ["https means TLS, with the authorities that Node knows", secure, ({ metrics: found }) => found?.connection.tls, { verify: true }],
  [
    "OTEL_EXPORTER_OTLP_METRICS_INSECURE=true skips the validation of certificates",
    { ...secure, OTEL_EXPORTER_OTLP_METRICS_INSECURE: "true" },
    ({ metrics: found }) => found?.connection.tls,
    { verify: false },
  ],
  [
    "OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE is the authority to trust",
    { ...secure, OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE: files.ca },
    ({ metrics: found }) => [found?.connection.tls?.verify, found?.connection.tls?.authority?.includes("BEGIN CERTIFICATE")],
    [true, true],
  ],
  [
    "OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE and _CLIENT_KEY are shown to the collector",
    { ...secure, ...mutual },
    ({ metrics: found }) => found?.connection.tls?.client?.key.includes("PRIVATE KEY"),
    true,
  ],
  [
    "certificates have general variables too",
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://all:4317",
      OTEL_EXPORTER_OTLP_CERTIFICATE: files.ca,
      OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: files.clientCertificate,
      OTEL_EXPORTER_OTLP_CLIENT_KEY: files.clientKey,
    },
    ({ traces: found }) => Object.keys(found?.connection.tls ?? {}).toSorted(),
    ["authority", "client", "verify"],
  ],
];

const resource: readonly Row[] = [
  ["the service is called authz", traced, (plan) => plan.resource, { "service.name": "authz" }],
  ["OTEL_SERVICE_NAME calls it otherwise", { ...traced, OTEL_SERVICE_NAME: "pdp" }, (plan) => plan.resource, { "service.name": "pdp" }],
  [
    "OTEL_RESOURCE_ATTRIBUTES say more about it",
    { ...traced, OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=a%2Cb, service.name=x" },
    (plan) => plan.resource,
    { "deployment.environment": "a,b", "service.name": "x" },
  ],
  [
    "OTEL_SERVICE_NAME wins over OTEL_RESOURCE_ATTRIBUTES",
    { ...traced, OTEL_RESOURCE_ATTRIBUTES: "service.name=x", OTEL_SERVICE_NAME: "pdp" },
    (plan) => plan.resource,
    { "service.name": "pdp" },
  ],
];

describe.each([
  ["traces", traces],
  ["samplers", samplers],
  ["metrics", metrics],
  ["resource", resource],
] as const)("%s", (_, rows) => {
  test.each(rows)("%s", (_sentence, environment, of, wanted) => {
    expect(of(readPlan(environment))).toEqual(wanted);
  });
});

/** Environment -> what the refusal says, without order. */
const refused: readonly (readonly [sentence: string, environment: Environment, mistakes: readonly string[]])[] = [
  [
    "an unknown exporter of metrics",
    { OTEL_METRICS_EXPORTER: "bogus" },
    ["OTEL_METRICS_EXPORTER asks for `bogus`: it can be prometheus, otlp or none"],
  ],
  ["an unknown exporter of traces", { OTEL_TRACES_EXPORTER: "zipkin" }, ["OTEL_TRACES_EXPORTER asks for `zipkin`: it can be otlp or none"]],
  [
    "an unknown protocol of metrics",
    { ...measured, OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/json" },
    ["OTEL_EXPORTER_OTLP_METRICS_PROTOCOL is `http/json`: it can be grpc or http/protobuf"],
  ],
  [
    "an unknown protocol of both, once",
    { ...both, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" },
    ["OTEL_EXPORTER_OTLP_PROTOCOL is `http/json`: it can be grpc or http/protobuf"],
  ],
  [
    "an unknown sampler",
    { ...traced, OTEL_TRACES_SAMPLER: "sometimes" },
    [
      "OTEL_TRACES_SAMPLER is `sometimes`: it can be always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off or parentbased_traceidratio",
    ],
  ],
  ...["-0.1", "1.1", "ten", "NaN", "Infinity"].map(
    (ratio) =>
      [
        `a ratio of ${ratio}`,
        { ...traced, OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: ratio },
        [`OTEL_TRACES_SAMPLER_ARG is \`${ratio}\`: the ratio must be between 0 and 1, such as 0.1 for every tenth trace`],
      ] as const,
  ),
  ...["0", "-5", "1s", "1.5", "2147483648", "1e3"].map(
    (interval) =>
      [
        `an interval of ${interval}`,
        { ...measured, OTEL_METRIC_EXPORT_INTERVAL: interval },
        [`OTEL_METRIC_EXPORT_INTERVAL is \`${interval}\`: it must be a whole number between 1 and 2147483647`],
      ] as const,
  ),
  [
    "a timeout that is no number",
    { ...measured, OTEL_METRIC_EXPORT_TIMEOUT: "soon" },
    ["OTEL_METRIC_EXPORT_TIMEOUT is `soon`: it must be a whole number between 1 and 2147483647"],
  ],
  [
    "a flag that is neither true nor false",
    { ...secure, OTEL_EXPORTER_OTLP_METRICS_INSECURE: "1" },
    ["OTEL_EXPORTER_OTLP_METRICS_INSECURE is `1`: it can be true or false"],
  ],
  ["a switch that is neither true nor false", { OTEL_SDK_DISABLED: "yes" }, ["OTEL_SDK_DISABLED is `yes`: it can be true or false"]],
  [
    "an unknown compression",
    { ...traced, OTEL_EXPORTER_OTLP_COMPRESSION: "br" },
    ["OTEL_EXPORTER_OTLP_COMPRESSION is `br`: it can be none or gzip"],
  ],
  [
    "an endpoint that is none, without repeating it",
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "ftp://user:hunter2@collector" },
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is not an endpoint: write http://host:port, https://host:port or unix:///path"],
  ],
  [
    "credentials in an endpoint that cannot send them",
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://user:hunter2@collector:4317" },
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT has credentials, which gRPC does not send: write them into OTEL_EXPORTER_OTLP_HEADERS"],
  ],
  [
    "a name alone in one",
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://hunter2@collector:4317" },
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT has credentials, which gRPC does not send: write them into OTEL_EXPORTER_OTLP_HEADERS"],
  ],
  [
    "a password alone in one",
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://:hunter2@collector:4317" },
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT has credentials, which gRPC does not send: write them into OTEL_EXPORTER_OTLP_HEADERS"],
  ],
  [
    "an endpoint without a scheme where a URL is needed",
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "collector:4318", OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" },
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is not a URL: write http://host:port/path or https://host:port/path"],
  ],
  [
    "headers that cannot be read, without repeating them",
    { ...traced, OTEL_EXPORTER_OTLP_HEADERS: "authorization=hunter2,hunter3", OTEL_EXPORTER_OTLP_TRACES_HEADERS: "a b=c,x=%0a,y=%zz" },
    [
      "OTEL_EXPORTER_OTLP_HEADERS has a pair that cannot be read, the 2nd: write name=value, and %2C for a comma in a value",
      "OTEL_EXPORTER_OTLP_TRACES_HEADERS has a pair that cannot be a header: `a b`",
      "OTEL_EXPORTER_OTLP_TRACES_HEADERS has a pair that cannot be a header: `x`",
      "OTEL_EXPORTER_OTLP_TRACES_HEADERS has a pair that cannot be read, the 3rd: write name=value, and %2C for a comma in a value",
    ],
  ],
  [
    "headers that gRPC keeps",
    { ...traced, OTEL_EXPORTER_OTLP_HEADERS: "key-bin=AA,grpc-timeout=1" },
    [
      "OTEL_EXPORTER_OTLP_HEADERS has the header `key-bin`, which gRPC keeps for other ends",
      "OTEL_EXPORTER_OTLP_HEADERS has the header `grpc-timeout`, which gRPC keeps for other ends",
    ],
  ],
  [
    "resource attributes that cannot be read",
    { ...traced, OTEL_RESOURCE_ATTRIBUTES: "a" },
    ["OTEL_RESOURCE_ATTRIBUTES has a pair that cannot be read, the 1st: write name=value, and %2C for a comma in a value"],
  ],
  [
    "a certificate that is not there",
    { ...secure, OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE: "/nowhere/ca.pem" },
    ["OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE names the file `/nowhere/ca.pem`, which does not exist"],
  ],
  [
    "a certificate that is a folder",
    { ...secure, OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE: files.folder },
    [`OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE names the file \`${files.folder}\`, which cannot be read (EISDIR)`],
  ],
  [
    "a certificate that is none",
    { ...secure, OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE: files.prose },
    ["OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE names a file without a PEM certificate"],
  ],
  [
    "a certificate that is broken",
    { ...secure, OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE: files.broken },
    ["OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE names a file without a PEM certificate"],
  ],
  [
    "a client certificate without its key",
    { ...secure, OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE: files.clientCertificate },
    ["OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE is set without its private key: set the variable that ends in CLIENT_KEY too"],
  ],
  [
    "a client key without its certificate",
    { ...secure, OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY: files.clientKey },
    ["OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY is set without its certificate: set the variable that ends in CLIENT_CERTIFICATE too"],
  ],
  [
    "a client certificate with the key of another",
    { ...secure, ...mutual, OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY: files.strangerKey },
    [
      "OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY are not a PEM certificate and its private key",
    ],
  ],
  [
    "everything at once",
    {
      OTEL_METRICS_EXPORTER: "otlp",
      OTEL_EXPORTER_OTLP_ENDPOINT: "?",
      OTEL_TRACES_SAMPLER: "x",
      OTEL_METRIC_EXPORT_INTERVAL: "0",
      OTEL_EXPORTER_OTLP_TIMEOUT: "-",
    },
    [
      "OTEL_EXPORTER_OTLP_ENDPOINT is not an endpoint: write http://host:port, https://host:port or unix:///path",
      "OTEL_EXPORTER_OTLP_TIMEOUT is `-`: it must be a whole number between 1 and 2147483647",
      "OTEL_METRIC_EXPORT_INTERVAL is `0`: it must be a whole number between 1 and 2147483647",
      "OTEL_TRACES_SAMPLER is `x`: it can be always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off or parentbased_traceidratio",
    ],
  ],
];

test.each(refused)("the start is refused for %s", (_, environment, mistakes) => {
  let said: unknown;
  try {
    readPlan(environment);
  } catch (error) {
    said = error;
  }
  expect(isRefusal(said) ? said.message.split("\n").toSorted() : said).toEqual(mistakes.toSorted());
});

const warned: readonly (readonly [sentence: string, environment: Environment, warnings: readonly string[]])[] = [
  ["nothing is said about an environment that is silent", {}, []],
  ["nothing is said about a plain one", both, []],
  [
    "metrics without an endpoint",
    { OTEL_METRICS_EXPORTER: "otlp" },
    ["OTEL_METRICS_EXPORTER is otlp, but no metrics are sent: set OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"],
  ],
  [
    "a sampler without an endpoint",
    { OTEL_TRACES_SAMPLER: "always_on" },
    ["OTEL_TRACES_SAMPLER is set, but nothing is traced: set OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"],
  ],
  [
    "an endpoint of metrics that nobody asked for",
    { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://collector:4317" },
    ["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT is set, but no metrics are sent: set OTEL_METRICS_EXPORTER=otlp"],
  ],
  [
    "certificates that nobody looks at",
    { ...secure, OTEL_EXPORTER_OTLP_METRICS_INSECURE: "true" },
    [
      "insecure: OTEL_EXPORTER_OTLP_METRICS_INSECURE is true: the certificate of https://collector:4317 is not looked at; for development only",
    ],
  ],
  [
    "a certificate without TLS",
    { ...measured, OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE: files.ca },
    [
      "OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE is set, but http://collector:4317 is reached without TLS: write https:// in OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    ],
  ],
  [
    "a timeout beyond the interval",
    { ...measured, OTEL_METRIC_EXPORT_INTERVAL: "1000", OTEL_METRIC_EXPORT_TIMEOUT: "2000" },
    ["OTEL_METRIC_EXPORT_TIMEOUT is longer than the interval of 1000 ms: an export is given up when the next is due"],
  ],
];

test.each(warned)("the operator is told of %s", (_, environment, warnings) => {
  expect(readPlan(environment).warnings).toEqual(warnings);
});
