/** Metrics: every row of the table, by name and type. */
import parse from "parse-prometheus-text-format";
import { expect } from "vitest";
import { row, type Section } from "./section.ts";

const table: readonly (readonly [name: string, type: string])[] = [
  ["authz_dev_engine_check_latency", "HISTOGRAM"],
  ["authz_dev_engine_check_batch_size", "HISTOGRAM"],
  ["authz_dev_engine_plan_latency", "HISTOGRAM"],
  ["authz_dev_compiler_compile_duration", "HISTOGRAM"],
  ["authz_dev_store_poll_count", "COUNTER"],
  ["authz_dev_store_sync_error_count", "COUNTER"],
  ["authz_dev_store_last_successful_refresh", "GAUGE"],
  ["authz_dev_store_bundle_op_latency", "HISTOGRAM"],
  ["authz_dev_store_bundle_fetch_errors_count", "COUNTER"],
  ["authz_dev_store_bundle_updates_count", "COUNTER"],
  ["authz_dev_cache_access_count", "COUNTER"],
  ["authz_dev_cache_live_objects", "GAUGE"],
  ["authz_dev_cache_max_size", "GAUGE"],
  ["authz_dev_index_entry_count", "GAUGE"],
  ["authz_dev_index_crud_count", "COUNTER"],
  ["authz_dev_audit_error_count", "COUNTER"],
  ["authz_dev_audit_oversized_entry_count", "COUNTER"],
  ["authz_dev_hub_connected", "GAUGE"],
];

export const metrics: Section = {
  heading: "Metrics",
  rows: table.map(([name, type]) =>
    row(name, async ({ server, check }) => {
      await check();
      const { status, text } = await server.get("/_authz/metrics");
      expect(status).toBe(200);
      const found = parse(text).find((family) => family.name === name);
      expect(found).toMatchObject({ name, type });
      expect(found?.help).not.toBe("");
      expect(found?.metrics.length).toBeGreaterThan(0);
    }),
  ),
};
