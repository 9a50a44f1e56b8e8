/** `docs/metrics.md` is the page that the table of metrics prints, and the metrics of the process that it names are there. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { expect, it } from "vitest";
import { printPage } from "../../src/observe/metric-page.ts";
import { metricTable } from "../../src/observe/metric-table.ts";
import { openProcessMetrics } from "../../src/observe/process-metrics.ts";

const file = "docs/metrics.md";

it("is the page that the table prints", () => {
  const page = printPage();
  if (process.env["AUTHZ_ACCEPT"] === "1") writeFileSync(file, page);
  expect(existsSync(file), "npm run golden -- --accept writes it").toBe(true);
  expect(page).toBe(readFileSync(file, "utf8"));
});

it("says something of every metric, in a sentence without an end", () => {
  const rows = Object.values(metricTable);
  expect(rows.filter(({ help }) => !/^(?:[A-Z1].{10,}[^.])$/.test(help))).toEqual([]);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
});

it("names metrics of the process that there are", async () => {
  const there = new Set((await openProcessMetrics()()).map(({ name }) => name));
  const named = [...printPage().matchAll(/`((?:process|nodejs)_[a-z_]+)`/g)].map(([, name]) => name ?? "");
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => !there.has(name))).toEqual([]);
});
