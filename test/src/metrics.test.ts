/** Metrics: what moves which, and the text that Prometheus reads, read by somebody else's parser. */
import { setTimeout as sleep } from "node:timers/promises";
import parse from "parse-prometheus-text-format";
import { describe, expect, test } from "vitest";
import type { BegunCall } from "../../src/observe/events.ts";
import { printExposition } from "../../src/observe/exposition.ts";
import { openCounterOrGauge, openHistogram } from "../../src/observe/instrument.ts";
import { metricTable } from "../../src/observe/metric-table.ts";
import { openMetrics, type Metrics } from "../../src/observe/metrics.ts";
import type { UnaryMethod } from "../../src/server/calls/call.ts";
import { codes, type CodeName } from "../../src/server/calls/reply.ts";
import { eventually } from "../server/harness.ts";
import { readExposition, type Exposition } from "./exposition.ts";

const on = { "storage.driver": "disk", "server.metricsEnabled": true, "telemetry.enabled": true } as const;

const read = async (metrics: Metrics): Promise<Exposition> => readExposition(await metrics.text());

function end(
  metrics: Metrics,
  method: UnaryMethod,
  code: CodeName,
  how: { resources?: number; milliseconds?: number; grpc?: true } = {},
): void {
  const call = { transport: how.grpc ? "grpc" : "http", peer: "", headers: { get: () => undefined, entries: () => [] } } as const;
  const begun: BegunCall = { method, callId: "C", call, body: "{}", at: 0 };
  const reply = { code: codes[code].code, text: "{}", ...(how.resources !== undefined && { resources: how.resources }) };
  metrics.end(begun, { reply, milliseconds: how.milliseconds ?? 1 });
}

describe("before anything has happened", () => {
  const rows = Object.values(metricTable).filter(({ labels }) => Object.values(labels).every((values) => typeof values !== "string"));

  test.each(rows.map((row) => [row.name, row] as const))("%s has a sample at zero for every value of its labels", async (name, row) => {
    const found = await read(openMetrics(on, false));
    expect(found.families.get(name)).toMatchObject({ type: row.type.toUpperCase(), help: row.help });
    const combinations = Object.values(row.labels).reduce((product, values) => product * values.length, 1);
    const zeros = Array.from({ length: combinations }, () => "0");
    if (row.type !== "histogram") return expect(found.values(name)).toEqual(zeros);
    expect([found.values(`${name}_count`), found.values(`${name}_sum`)]).toEqual([zeros, zeros]);
    expect(found.values(`${name}_bucket`)).toEqual(Array.from({ length: combinations * (row.bounds.length + 1) }, () => "0"));
    const bounds = found.labels(`${name}_bucket`).map(({ le }) => le);
    expect(bounds.slice(0, row.bounds.length + 1)).toEqual([...row.bounds.map(String), "+Inf"]);
  });

  test("what belongs to the store has the label of its driver", async () => {
    const labelled = Object.values(metricTable).filter(({ labels }) => "driver" in labels);
    expect(labelled).toHaveLength(4);
    for (const [driver, label] of [
      ["disk", "disk"],
      ["sqlite", "db"],
      ["sqlite3", "db"],
      ["git", "git"],
      ["bundle", "bundle"],
    ] as const) {
      const found = await read(openMetrics({ ...on, "storage.driver": driver }));
      for (const { name } of labelled) expect([found.labels(name), found.values(name)]).toEqual([[{ driver: label }], ["0"]]);
    }
  });

  test("what nothing moves says so", () => {
    const unmoved = Object.values(metricTable).filter(({ help }) => help.includes("nothing changes it yet"));
    expect(unmoved.map(({ name }) => name.replace("authz_dev_", ""))).toEqual(["engine_plan_latency", "hub_connected"]);
  });

  test("the process shows its memory, collector, event loop and processor", async () => {
    const { families } = await read(openMetrics(on));
    for (const [name, type] of [
      ["process_resident_memory_bytes", "GAUGE"],
      ["nodejs_gc_duration_seconds", "HISTOGRAM"],
      ["nodejs_eventloop_lag_p99_seconds", "GAUGE"],
      ["process_cpu_seconds_total", "COUNTER"],
      ["nodejs_version_info", "GAUGE"],
    ] as const)
      expect(families.get(name)?.type, name).toBe(type);
  });

  test("the lag of an event loop is how late a look was, and nothing where nobody has looked", async () => {
    const metrics = openMetrics(on);
    const lag = async (word: string): Promise<readonly string[]> => (await read(metrics)).values(`nodejs_eventloop_lag_${word}_seconds`);
    const later = async (word: string): Promise<number> => {
      await sleep(300);
      return Number((await lag(word))[0]);
    };
    await lag("mean");
    expect(await lag("mean")).toEqual([]);
    await eventually(
      () => later("min"),
      (least) => least < 0.1,
    );
    await sleep(300);
    const end = performance.now() + 1000;
    while (performance.now() < end);
    expect(await later("max")).toBeGreaterThan(0.5);
  });
});

describe("a call moves", () => {
  const latency = "authz_dev_engine_check_latency";
  test.each([
    ["the latency, as a check that is answered", "CheckResources", "OK", 1, 0],
    ["the same with the older forms", "CheckResourceSet", "OK", 1, 0],
    ["and with their batch", "CheckResourceBatch", "OK", 1, 0],
    ["the failures, as a check that we could not answer", "CheckResources", "INTERNAL", 0, 1],
    ["the failures, as a check before there are policies", "CheckResources", "UNAVAILABLE", 0, 1],
    ["nothing, as a request that is refused", "CheckResources", "INVALID_ARGUMENT", 0, 0],
    ["nothing, as another call", "ServerInfo", "OK", 0, 0],
    ["nothing, as an administrator's call", "ListSchemas", "INTERNAL", 0, 0],
  ] as const)("%s", async (_sentence, method, code, success, failure) => {
    const metrics = openMetrics(on);
    end(metrics, method, code);
    const found = await read(metrics);
    expect(found.value(`${latency}_count`, { status: "success" })).toBe(success);
    expect(found.value(`${latency}_count`, { status: "failure" })).toBe(failure);
  });

  test("the sizes of batches", async () => {
    const metrics = openMetrics(on);
    for (const resources of [1, 50, 51]) end(metrics, "CheckResources", "OK", { resources });
    end(metrics, "CheckResources", "INVALID_ARGUMENT");
    const found = await read(metrics);
    const name = "authz_dev_engine_check_batch_size";
    expect([found.value(`${name}_count`), found.value(`${name}_sum`)]).toEqual([3, 102]);
    expect(["0", "1", "45", "50", "+Inf"].map((le) => found.value(`${name}_bucket`, { le }))).toEqual([0, 1, 1, 2, 3]);
  });

  test("the bucket whose bound it just meets, and all above", async () => {
    const metrics = openMetrics(on);
    end(metrics, "CheckResources", "OK", { milliseconds: 0.05 });
    end(metrics, "CheckResources", "OK", { milliseconds: 1e9 });
    const found = await read(metrics);
    const buckets = ["0.01", "0.05", "0.1", "100000", "+Inf"].map((le) => found.value(`${latency}_bucket`, { le, status: "success" }));
    expect(buckets).toEqual([0, 1, 1, 1, 2]);
  });

  test("the gRPC metrics when it came over gRPC", async () => {
    const metrics = openMetrics(on);
    end(metrics, "CheckResources", "OK");
    const name = "rpc_server_duration_milliseconds";
    expect((await read(metrics)).families.get(name)).toMatchObject({ type: "HISTOGRAM", metrics: [] });
    end(metrics, "GetSchema", "UNAUTHENTICATED", { grpc: true, milliseconds: 7 });
    const found = await read(metrics);
    expect(found.labels(`${name}_sum`)).toEqual([
      { rpc_system: "grpc", rpc_service: "authz.svc.v1.AuthzAdminService", rpc_method: "GetSchema", rpc_grpc_status_code: "16" },
    ]);
    expect(["5", "10"].map((le) => found.value(`${name}_bucket`, { le }))).toEqual([0, 1]);
  });
});

test("an HTTP exchange moves its metrics, and nobody can make labels of their own", async () => {
  const metrics = openMetrics(on);
  const exchange = { target: "/", status: 200, milliseconds: 30, requestBytes: 100, responseBytes: 5000 };
  metrics.http({ ...exchange, method: "POST" });
  for (const method of ["BREW", "post", "x".repeat(1000)]) metrics.http({ ...exchange, method, status: 501 });
  const found = await read(metrics);
  const name = "http_server_request_duration_seconds";
  expect(found.labels(`${name}_count`)).toEqual([
    { http_request_method: "POST", http_response_status_code: "200", network_protocol_name: "http" },
    { http_request_method: "_OTHER", http_response_status_code: "501", network_protocol_name: "http" },
  ]);
  expect(found.values(`${name}_count`)).toEqual(["1", "3"]);
  const ok = { http_response_status_code: "200" };
  expect(found.value(`${name}_sum`, ok)).toBe(0.03);
  expect(found.value("http_server_request_body_size_bytes_sum", ok)).toBe(100);
  expect(found.value("http_server_response_body_size_bytes_sum", ok)).toBe(5000);
});

test("what happens around the store moves its metrics", async () => {
  const metrics = openMetrics(on);
  const loaded = {
    kind: "loaded",
    at: 1_700_000_000_000,
    compileMilliseconds: 12,
    policies: 7,
    created: 7,
    updated: 0,
    deleted: 0,
  } as const;
  const state = async (): Promise<Readonly<Record<string, unknown>>> => {
    const { value } = await read(metrics);
    return {
      entries: value("authz_dev_index_entry_count"),
      refreshed: value("authz_dev_store_last_successful_refresh"),
      polls: value("authz_dev_store_poll_count"),
      errors: value("authz_dev_store_sync_error_count"),
      compiled: ["success", "failure"].map((status) => value("authz_dev_compiler_compile_duration_count", { status })),
      crud: ["create", "update", "delete"].map((kind) => value("authz_dev_index_crud_count", { kind })),
      agree: value("authz_dev_store_seconds_since_agreement") === 0,
    };
  };
  const first = { entries: 7, refreshed: loaded.at, polls: 0, errors: 0, compiled: [1, 0], crud: [7, 0, 0], agree: true };

  metrics.store(loaded);
  expect(await state()).toEqual(first);
  metrics.store({ kind: "polled" });
  expect(await state()).toEqual({ ...first, polls: 1 });
  metrics.store({ kind: "failed", compileMilliseconds: 3 });
  expect(await state()).toEqual({ ...first, polls: 1, errors: 1, compiled: [1, 1], agree: false });
  metrics.store({ kind: "failed" });
  expect(await state()).toEqual({ ...first, polls: 1, errors: 2, compiled: [1, 1], agree: false });
  metrics.store({ ...loaded, at: loaded.at + 1, policies: 6, created: 1, updated: 2, deleted: 2 });
  expect(await state()).toEqual({
    entries: 6,
    refreshed: loaded.at + 1,
    polls: 1,
    errors: 2,
    compiled: [2, 1],
    crud: [8, 2, 2],
    agree: true,
  });
});

test("what comes of asking for a bundle is counted, and how long it took", async () => {
  const metrics = openMetrics({ ...on, "storage.driver": "bundle" });
  for (const result of ["updated", "unchanged", "unchanged", "failed"] as const)
    metrics.store({ kind: "bundle read", result, milliseconds: 2 });
  // A set of a bundle is not compiled here.
  metrics.store({ kind: "loaded", at: 1, policies: 3, created: 3, updated: 0, deleted: 0 });
  const { value } = await read(metrics);
  expect({
    asked: value("authz_dev_store_bundle_op_latency_count"),
    took: value("authz_dev_store_bundle_op_latency_sum"),
    failed: value("authz_dev_store_bundle_fetch_errors_count"),
    updated: value("authz_dev_store_bundle_updates_count"),
    compiled: value("authz_dev_compiler_compile_duration_count", { status: "success" }),
    entries: value("authz_dev_index_entry_count"),
  }).toEqual({ asked: 4, took: 8, failed: 1, updated: 1, compiled: 0, entries: 3 });
});

test("audit entries that fail or are too large are counted by kind", async () => {
  const metrics = openMetrics(on);
  metrics.auditFailed("decision");
  metrics.auditOversized("access");
  metrics.auditOversized("access");
  const { value } = await read(metrics);
  const counts = (name: string): readonly number[] => ["access", "decision"].map((kind) => value(name, { kind }));
  expect(counts("authz_dev_audit_error_count")).toEqual([0, 1]);
  expect(counts("authz_dev_audit_oversized_entry_count")).toEqual([2, 0]);
});

test("memories are asked when somebody looks", async () => {
  const metrics = openMetrics(on);
  let hits = 1;
  metrics.watchCaches(() => [
    { kind: "jwt", hits: hits++, misses: 5, live: 3, max: 1024 },
    { kind: "schema", hits: 0, misses: 1, live: 1, max: Infinity },
  ]);
  await metrics.text();
  const { value } = await read(metrics);
  expect(value("authz_dev_cache_access_count", { kind: "jwt", result: "hit" })).toBe(2);
  expect(value("authz_dev_cache_access_count", { kind: "jwt", result: "miss" })).toBe(5);
  expect(value("authz_dev_cache_live_objects", { kind: "jwt" })).toBe(3);
  expect(value("authz_dev_cache_max_size", { kind: "jwt" })).toBe(1024);
  expect(value("authz_dev_cache_max_size", { kind: "schema" })).toBe(Infinity);
});

test("two servers of one process do not count each other's calls", async () => {
  const [one, other] = [openMetrics(on), openMetrics(on)];
  end(one, "CheckResources", "OK");
  const counts = [await read(one), await read(other)].map(({ value }) =>
    value("authz_dev_engine_check_latency_count", { status: "success" }),
  );
  expect(counts).toEqual([1, 0]);
});

test.each([
  ["server.metricsEnabled", { ...on, "server.metricsEnabled": false }],
  ["telemetry.enabled", { ...on, "telemetry.enabled": false }],
] as const)("where %s is false there are none", async (_setting, config) => {
  const metrics = openMetrics(config);
  end(metrics, "CheckResources", "OK");
  expect([metrics.enabled, await metrics.text(), await metrics.collect()]).toEqual([false, "", []]);
});

test("labels and help may hold what the text gives a meaning", () => {
  const row = { name: "m", type: "gauge", help: "a \\ b\nc", labels: { l: "anything" }, bounds: [] } as const;
  const numbers = openCounterOrGauge(row);
  numbers.with({ l: 'x"y\\z\n' }).set(2.5);
  const text = printExposition([numbers.read()]);
  expect(text).toBe('# HELP m a \\\\ b\\nc\n# TYPE m gauge\nm{l="x\\"y\\\\z\\n"} 2.5\n');
  expect(parse(text)[0]?.metrics[0]?.labels).toEqual({ l: 'x"y\\z\n' });
});

test("a combination of labels has one child, whatever the order in which they are named", () => {
  const spreads = openHistogram({ name: "m", type: "histogram", help: "", labels: { a: "any", b: "any" }, bounds: [1] });
  expect(spreads.with({ a: "1", b: "2" })).toBe(spreads.with({ b: "2", a: "1" }));
  expect(spreads.with({ a: "1", b: "2" })).not.toBe(spreads.with({ a: "2", b: "1" }));
});
