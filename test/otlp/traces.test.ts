/** Which calls are traced, below whose span, and who may ask for their trace. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openReceiver, type Receiver } from "./receiver.ts";
import type { Span } from "./received.ts";
import { open, type Environment, type OpenTelemetry } from "./telemetry.ts";

let receiver: Receiver;
beforeAll(async () => {
  receiver = await openReceiver({ protocol: "grpc" });
});
afterAll(() => receiver.close());

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";
const sampled = { traceparent: `00-${traceId}-${spanId}-01` } as const;
const unsampled = { traceparent: `00-${traceId}-${spanId}-00` } as const;

/** Does something with tracing on, closes it, and returns the spans that arrived. */
async function spansOf(environment: Environment, work: (telemetry: OpenTelemetry) => void | Promise<void>): Promise<readonly Span[]> {
  const before = receiver.spans().length;
  const telemetry = await open({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: receiver.endpoint, ...environment });
  await work(telemetry);
  await telemetry.close(10_000);
  return receiver.spans().slice(before);
}

const callOf = async (environment: Environment, headers: { readonly [name: string]: string }): Promise<Span | undefined> => {
  const spans = await spansOf(environment, ({ call }) => void call(headers));
  return spans.find(({ kind }) => kind === "SERVER");
};

describe("a sampler decides by itself, or by the caller", () => {
  const always = { OTEL_TRACES_SAMPLER_ARG: "1" } as const;
  const never = { OTEL_TRACES_SAMPLER_ARG: "0" } as const;
  test.each([
    // sampler                      argument  no caller  sampled  not sampled
    [undefined, {}, false, true, false],
    ["always_on", {}, true, true, true],
    ["always_off", {}, false, false, false],
    ["traceidratio", always, true, true, true],
    ["traceidratio", never, false, false, false],
    ["parentbased_always_on", {}, true, true, false],
    ["parentbased_always_off", {}, false, true, false],
    ["parentbased_traceidratio", always, true, true, false],
    ["parentbased_traceidratio", never, false, true, false],
  ] as const)(
    "%s %j: alone %j, with a sampled caller %j, with another %j",
    async (sampler, argument, alone, withSampled, withUnsampled) => {
      const environment = { ...argument, ...(sampler !== undefined && { OTEL_TRACES_SAMPLER: sampler }) };
      const spans = await spansOf(environment, ({ call }) => {
        call();
        call(sampled);
        call(unsampled);
      });
      const ids = new Set(spans.map(({ attributes }) => attributes["authz.call_id"]));
      expect(["call-1", "call-2", "call-3"].map((id) => ids.has(id))).toEqual([alone, withSampled, withUnsampled]);
    },
  );
});

describe("a caller's context is taken from", () => {
  test.each([
    ["traceparent", sampled],
    ["traceparent of a later version", { traceparent: `01-${traceId}-${spanId}-01-and-more` }],
    ["b3 in one header", { b3: `${traceId}-${spanId}-1` }],
    ["b3 in many headers", { "x-b3-traceid": traceId, "x-b3-spanid": spanId, "x-b3-sampled": "1" }],
    ["b3 when traceparent cannot be read", { traceparent: "x", b3: `${traceId}-${spanId}-1` }],
    ["traceparent before b3", { ...sampled, b3: `${"a".repeat(32)}-${"b".repeat(16)}-1` }],
  ])("%s", async (_, headers) => {
    expect(await callOf({}, headers)).toMatchObject({ traceId, parentId: spanId });
  });

  test("tracestate goes with it", async () => {
    expect(await callOf({}, { ...sampled, tracestate: "vendor=value,other=1" })).toMatchObject({ traceState: "vendor=value,other=1" });
  });
});

describe("what is no context begins a trace of its own", () => {
  test.each([
    ["nothing", ""],
    ["words", "hello"],
    ["a part", `00-${traceId}`],
    ["a trace of zeros", `00-${"0".repeat(32)}-${spanId}-01`],
    ["a span of zeros", `00-${traceId}-${"0".repeat(16)}-01`],
    ["a version that is forbidden", `ff-${traceId}-${spanId}-01`],
    ["more than version 00 has", `00-${traceId}-${spanId}-01-more`],
    ["capitals", `00-${traceId.toUpperCase()}-${spanId}-01`],
    ["two of them", `${sampled.traceparent}, ${sampled.traceparent}`],
    ["a very long one", "00-".repeat(20_000)],
  ])("%s", async (_, traceparent) => {
    const call = await callOf({ OTEL_TRACES_SAMPLER: "always_on" }, { traceparent, tracestate: "a=1" });
    expect([call?.parentId, call?.traceState, call?.traceId === traceId]).toEqual(["", "", false]);
  });
});

describe("the trace of a call is known while it is being answered", () => {
  test.each([
    ["to be the caller's", "parentbased_always_off", sampled, traceId],
    ["to be the caller's, though nobody records it", "parentbased_always_off", unsampled, traceId],
    ["not to be, where nobody records one and nobody called for one", "parentbased_always_off", {}, undefined],
  ])("%s", async (_, sampler, headers, wanted) => {
    const seen: (string | undefined)[] = [];
    await spansOf({ OTEL_TRACES_SAMPLER: sampler }, ({ observer, traceId: traceOf }) => {
      const begun = { method: "ServerInfo" as const, callId: "c", body: "{}", at: 0, call: callWith(headers) };
      seen.push(traceOf("c"));
      observer?.begin?.(begun);
      seen.push(traceOf("c"));
      observer?.end(begun, { reply: { code: 0, text: "{}" }, milliseconds: 1 });
      seen.push(traceOf("c"));
    });
    expect(seen).toEqual([undefined, wanted, undefined]);
  });
});

function callWith(headers: { readonly [name: string]: string | undefined }): {
  readonly transport: "grpc";
  readonly peer: string;
  readonly headers: { readonly get: (name: string) => string | undefined; readonly entries: () => Iterable<never> };
} {
  return { transport: "grpc", peer: "unix", headers: { get: (name) => headers[name], entries: () => [] } };
}

test("a part that fails is an error of its span, with the reason", async () => {
  const spans = await spansOf({}, ({ observer, beginSpan }) => {
    const begun = { method: "CheckResources" as const, callId: "c", body: "{}", at: 0, call: callWith(sampled) };
    observer?.begin?.(begun);
    beginSpan?.("auxData", "c")("expired");
    beginSpan?.("schemas", "c")(new Error("broken"));
    beginSpan?.("decide", "c")();
    observer?.end(begun, { reply: { code: 3, text: "{}" }, milliseconds: 1 });
  });
  expect(spans.map(({ name, status }) => [name, status.code, status.message])).toEqual([
    ["auxData", "ERROR", "expired"],
    ["schemas", "ERROR", "broken"],
    ["decide", "UNSET", ""],
    ["authz.svc.v1.AuthzService/CheckResources", "UNSET", ""], // a caller's mistake is no error of the server
  ]);
});

test("a token that stands where the id of a key set should is not in the reason that a span tells", async () => {
  const token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl";
  const spans = await spansOf({}, ({ observer, beginSpan }) => {
    const begun = { method: "CheckResources" as const, callId: "c", body: "{}", at: 0, call: callWith(sampled) };
    observer?.begin?.(begun);
    beginSpan?.("auxData", "c")(`unknown key set \`${token}\``);
    observer?.end(begun, { reply: { code: 3, text: "{}" }, milliseconds: 1 });
  });
  expect(spans.map(({ status }) => status.message)).toEqual(["unknown key set `***`", ""]);
});

test("a store's update is a span of its own, as long as the compiler worked", async () => {
  const at = Date.now();
  const spans = await spansOf({ OTEL_TRACES_SAMPLER: "always_on" }, ({ store }) => {
    store?.({ kind: "polled" });
    store?.({ kind: "loaded", at, compileMilliseconds: 250, policies: 7, created: 1, updated: 2, deleted: 3 });
    store?.({ kind: "failed" });
    store?.({ kind: "failed", compileMilliseconds: 5 });
  });
  expect(spans.map(({ name, parentId, status }) => [name, parentId, status.code])).toEqual([
    ["store update", "", "UNSET"],
    ["store update", "", "ERROR"],
  ]);
  expect(spans[0]?.attributes).toEqual({
    "authz.policies": 7,
    "authz.policies.created": 1,
    "authz.policies.updated": 2,
    "authz.policies.deleted": 3,
  });
  expect([spans[0]?.start, spans[0]?.end]).toEqual([BigInt(at - 250) * 1_000_000n, BigInt(at) * 1_000_000n]);
});

test("what is fetched for a call is asked for in its name, and only for that", async () => {
  const sent: (object | undefined)[] = [];
  const spans = await spansOf({ OTEL_TRACES_SAMPLER: "parentbased_always_off" }, async ({ observer, beginSpan, tracedFetch }) => {
    const fetchText = tracedFetch?.(async (_, { headers }) => {
      sent.push(headers);
      throw new Error("nobody there");
    });
    const fetchKeys = async (): Promise<unknown> =>
      fetchText?.(new URL("https://user:hunter2@keys.example/jwks?key=hunter3"), { milliseconds: 1, bytes: 1 }).catch(() => undefined);
    const begun = { method: "CheckResources" as const, callId: "c", body: "{}", at: 0, call: callWith({ ...sampled, tracestate: "a=1" }) };
    observer?.begin?.(begun);
    beginSpan?.("auxData", "c");
    await fetchKeys();
    await fetchKeys(); // in another turn: not for this call
    observer?.end(begun, { reply: { code: 0, text: "{}" }, milliseconds: 1 });
  });
  const fetched = spans.filter(({ kind }) => kind === "CLIENT");
  expect(fetched).toMatchObject([
    { name: "GET", traceId, status: { code: "ERROR", message: "nobody there" }, attributes: { "url.full": "https://keys.example/jwks" } },
  ]);
  expect(sent[0]).toEqual({ traceparent: `00-${traceId}-${fetched[0]?.spanId}-01`, tracestate: "a=1" });
  expect(sent[1]).toMatchObject({ traceparent: expect.stringMatching(/-00$/) });
});
