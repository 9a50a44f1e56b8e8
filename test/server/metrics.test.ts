/** Metrics of a server that is driven: over HTTP and gRPC, with schemas, with policies that change, and where they are off. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readExposition, type Exposition } from "../src/exposition.ts";
import { eventually, startServer, type TestServer } from "./harness.ts";
import { brokenPolicy, closedPolicy, expensePolicy, request } from "./policies.ts";
import { openClient } from "./stock-client.ts";

const schema = JSON.stringify({ type: "object", properties: { amount: { type: "number" } } });
const withSchema = expensePolicy.replace("  rules:", "  schemas:\n    resourceSchema:\n      ref: authz:///expense.json\n  rules:");

async function metricsOf(server: TestServer): Promise<Exposition> {
  return readExposition((await server.get("/_authz/metrics")).text);
}

describe("a server", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({
      policies: { "expense.yaml": withSchema, "_schemas/expense.json": schema },
      settings: { "storage.disk.watchForChanges": true, "schema.enforcement": "warn" },
    });
  });
  afterAll(() => server.stop());

  test("answers the Prometheus text, to GET and HEAD alone", async () => {
    const { status, headers, text } = await server.get("/_authz/metrics");
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    expect(text.endsWith("\n")).toBe(true);
    expect((await server.get("/_authz/metrics", { method: "HEAD" })).status).toBe(200);
    expect((await server.post("/_authz/metrics", {})).status).toBe(405);
  });

  test("has loaded its policies", async () => {
    const { value } = await metricsOf(server);
    expect(value("authz_dev_index_entry_count")).toBe(1);
    expect(value("authz_dev_index_crud_count", { kind: "create" })).toBe(1);
    expect(value("authz_dev_compiler_compile_duration_count", { status: "success" })).toBe(1);
    expect(value("authz_dev_compiler_compile_duration_sum", { status: "success" })).toBeGreaterThan(0);
    expect(Math.abs(Date.now() - value("authz_dev_store_last_successful_refresh", { driver: "disk" }))).toBeLessThan(600_000);
    expect(value("authz_dev_store_seconds_since_agreement")).toBe(0);
  });

  test("tells how long collecting garbage took, in buckets that hold what is below them", async () => {
    const name = "nodejs_gc_duration_seconds";
    const { values, labels } = await eventually(
      async () => {
        // So much is thrown away that it must be collected.
        Array.from({ length: 300_000 }, (_, at) => ({ at }));
        return metricsOf(server);
      },
      ({ labels: found }) => found(`${name}_count`).length > 0,
    );
    for (const { kind = "" } of labels(`${name}_count`)) {
      const [[count = Number.NaN], [sum = Number.NaN]] = [
        values(`${name}_count`, { kind }).map(Number),
        values(`${name}_sum`, { kind }).map(Number),
      ];
      const buckets = values(`${name}_bucket`, { kind }).map(Number);
      expect(count).toBeGreaterThan(0);
      expect(sum).toBeGreaterThan(0);
      expect(buckets).toEqual(buckets.toSorted((one, other) => one - other));
      expect(buckets.at(-1)).toBe(count);
      expect(values(`${name}_bucket`, { kind, le: "+Inf" })).toEqual([String(count)]);
    }
  });

  test("counts checks over both transports, and what went back and forth", async () => {
    const before = await metricsOf(server);
    const client = openClient(server.grpc, "authz.svc.v1.AuthzService");
    const body = JSON.stringify(request);
    expect((await server.post("/api/check/resources", body)).status).toBe(200);
    expect((await server.post("/api/check/resources", "{}")).status).toBe(400);
    expect(
      (
        await client.call("checkResources", {
          principal: { id: "a", roles: ["user"] },
          resources: [
            { actions: ["view"], resource: { kind: "expense", id: "1" } },
            { actions: ["view"], resource: { kind: "expense", id: "2" } },
          ],
        })
      ).code,
    ).toBe(0);
    client.close();
    const ok = { http_request_method: "POST", http_response_status_code: "200", network_protocol_name: "http" };
    const after = await eventually(
      () => metricsOf(server),
      ({ values }) => values("http_server_request_duration_seconds_count", { http_response_status_code: "400" }).length === 1,
    );
    const grew = (name: string, labels?: Readonly<Record<string, string>>): number =>
      after.value(name, labels) - before.value(name, labels);
    expect(grew("authz_dev_engine_check_latency_count", { status: "success" })).toBe(2);
    expect(grew("authz_dev_engine_check_latency_sum", { status: "success" })).toBeGreaterThan(0);
    expect(grew("authz_dev_engine_check_latency_count", { status: "failure" })).toBe(0);
    expect([grew("authz_dev_engine_check_batch_size_count"), grew("authz_dev_engine_check_batch_size_sum")]).toEqual([2, 3]);
    expect(grew("authz_dev_cache_access_count", { kind: "schema", result: "miss" })).toBe(1);
    expect(grew("authz_dev_cache_access_count", { kind: "schema", result: "hit" })).toBe(2);
    expect(after.value("authz_dev_cache_live_objects", { kind: "schema" })).toBe(1);
    expect(after.value("http_server_request_duration_seconds_count", ok)).toBe(1);
    expect(after.value("http_server_request_body_size_bytes_sum", ok)).toBe(body.length);
    expect(after.value("http_server_response_body_size_bytes_sum", ok)).toBeGreaterThan(0);
    expect(
      after.value("rpc_server_duration_milliseconds_count", {
        rpc_service: "authz.svc.v1.AuthzService",
        rpc_method: "CheckResources",
        rpc_system: "grpc",
        rpc_grpc_status_code: "0",
      }),
    ).toBe(1);
  });

  test("counts changes, and shows that store and policies have parted", async () => {
    const file = join(server.directory, "expense.yaml");
    const poll = (wished: (metrics: Exposition) => boolean): Promise<Exposition> => eventually(() => metricsOf(server), wished);
    writeFileSync(file, closedPolicy);
    const changed = await poll(({ value }) => value("authz_dev_index_crud_count", { kind: "update" }) > 0);
    expect(changed.value("authz_dev_store_seconds_since_agreement")).toBe(0);
    expect(changed.value("authz_dev_store_poll_count", { driver: "disk" })).toBeGreaterThan(0);
    writeFileSync(file, brokenPolicy);
    const broken = await poll(({ value }) => value("authz_dev_store_sync_error_count", { driver: "disk" }) > 0);
    expect(broken.value("authz_dev_compiler_compile_duration_count", { status: "failure" })).toBeGreaterThan(0);
    expect(broken.value("authz_dev_store_seconds_since_agreement")).toBeGreaterThan(0);
    expect(broken.value("authz_dev_index_entry_count")).toBe(1);
    rmSync(file);
    const gone = await poll(({ value }) => value("authz_dev_index_crud_count", { kind: "delete" }) > 0);
    expect([gone.value("authz_dev_store_seconds_since_agreement"), gone.value("authz_dev_index_entry_count")]).toEqual([0, 0]);
  });
});

test.each([
  ["server.metricsEnabled", { "server.metricsEnabled": false }],
  ["telemetry.enabled", { "telemetry.enabled": false }],
] as const)("%s: false takes the endpoint away, and the rest works", async (_setting, settings) => {
  const server = await startServer({ policies: { "expense.yaml": expensePolicy }, settings });
  try {
    expect((await server.get("/_authz/metrics")).status).toBe(404);
    expect((await server.post("/api/check/resources", request)).status).toBe(200);
  } finally {
    await server.stop();
  }
});
