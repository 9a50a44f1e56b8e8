/** What do audit, metrics and tracing cost a request, alone and together, against all of them off? */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askOnce, type Cost, costOf } from "./load/cost.ts";
import { httpClient } from "./load/http.ts";
import { untilLevel } from "./load/level.ts";
import { goBesideServer, pinning } from "./load/pin.ts";
import { type Settings, startServer, type Subject, type SubjectOptions } from "./load/subject.ts";
import { writeDifferent } from "./sets/different.ts";
import { kit, writeWorkload } from "./sets/kit.ts";
import { verify } from "./sets/verify.ts";
import { isGiven, isQuick, listOf, numberOf } from "./tell/flags.ts";
import { median, report, short, table } from "./tell/report.ts";

const units = isQuick ? 1 : 100;
const rounds = numberOf("rounds", isQuick ? 1 : 9);
const seconds = numberOf("seconds", isQuick ? 0.1 : 3);
const warmUp = numberOf("warmup", isQuick ? 0.1 : 8);

/** A collector that takes whatever it is sent, and counts it. */
const collector = { exports: 0, bytes: 0 };
const collecting = createServer((request, response) => {
  collector.exports++;
  request.on("data", (part: Buffer) => void (collector.bytes += part.length));
  request.on("end", () => response.writeHead(200, { "content-type": "application/x-protobuf" }).end());
}).listen(0, "127.0.0.1");
await once(collecting, "listening");
const { port } = collecting.address() as AddressInfo; // as of every server that listens on a port

const folder = mkdtempSync(join(tmpdir(), "authz-bench-"));
const audit = (name: string): Settings => ({ "audit.enabled": true, "audit.file.path": join(folder, `${name}.log`) });
const inSegments = { "audit.file.logRotation.maxFileSizeMB": 64, "audit.file.logRotation.maxFileCount": 1 };
const toCollector = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" };
const tracing = { ...toCollector, OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.1" };
const noMetrics = { "server.metricsEnabled": false };
const modes = new Map<string, SubjectOptions>([
  ["off", { settings: noMetrics }],
  ["metrics", {}],
  ["audit", { settings: { ...noMetrics, ...audit("audit") } }],
  // A file without end takes memory that nobody had before, which virtual machines fetch from their host page by page.
  ["audit in segments", { settings: { ...noMetrics, ...audit("segments"), ...inSegments } }],
  ["tracing", { settings: noMetrics, environment: { ...tracing, OTEL_METRICS_EXPORTER: "none" } }],
  ["all", { settings: audit("all"), environment: { ...tracing, OTEL_METRICS_EXPORTER: "otlp", OTEL_METRIC_EXPORT_INTERVAL: "1000" } }],
]);
const asked = ["off", ...listOf("modes", [...modes.keys()]).filter((mode) => mode !== "off")];

goBesideServer();
// `--different`: where every policy keeps something of its own, a record has more to fetch.
const differs = isGiven("different") || kit === undefined || isQuick;
const set = differs ? writeDifferent(units) : writeWorkload("features", "classic", units);
const servers = new Map<string, Subject>();
const times = new Map(asked.map((mode) => [mode, [] as number[]]));
const load = { bodies: set.bodies, connections: 32 };
let verified = 0;
try {
  for (const mode of asked) servers.set(mode, await startServer(set.policies, modes.get(mode)));
  for (const { http } of servers.values()) verified = await verify(set, Math.min(units, 10), (body) => askOnce(http, body));
  for (const server of servers.values()) {
    const spell = (): Promise<Cost> => costOf(server, { ...load, seconds: warmUp });
    await (differs && !isQuick ? untilLevel(spell) : spell());
  }
  for (let round = 0; round < rounds; round++) {
    const first = round % asked.length;
    for (const mode of [...asked.slice(first), ...asked.slice(0, first)]) {
      const server = servers.get(mode);
      if (server !== undefined) times.get(mode)?.push((await costOf(server, { ...load, seconds })).processor);
    }
  }
} finally {
  for (const server of servers.values()) await server.stop();
  collecting.closeAllConnections();
  collecting.close();
  set.remove();
  rmSync(folder, { recursive: true, force: true });
}

const found = (mode: string): number => median(times.get(mode) ?? []);
// Ratios of one round each: what the machine does meanwhile is in both.
const ratios = (mode: string): readonly number[] =>
  (times.get(mode) ?? []).map((time, at) => time / (times.get("off")?.[at] ?? Number.NaN));
const growth = (mode: string): number | undefined => (asked.includes(mode) ? (median(ratios(mode)) - 1) * 100 : undefined);
report({
  bench: "features",
  figures: { rounds, seconds, client: httpClient, pinning, times: Object.fromEntries(times), collector, verified },
  text: [
    `processor time a request, HTTP by ${httpClient}, 32 connections, ${set.count} policies${differs ? " that all differ" : ""}, ${rounds} rounds of ${seconds} s in turn; ${pinning}; ${verified} decisions held against the reference first`,
    table(
      ["", "us/request", "least", "most", "growth %, median of rounds"],
      asked.map((mode) => {
        const all = times.get(mode) ?? [];
        return [mode, ...[found(mode), Math.min(...all), Math.max(...all)].map(short), mode === "off" ? "" : short(growth(mode))];
      }),
    ),
    `the collector took ${collector.exports} exports, ${(collector.bytes / 1e6).toFixed(1)} MB; one call in ten is traced`,
  ].join("\n"),
  goals: [
    { name: "audit alone, growth %", found: growth("audit"), most: 35 },
    { name: "audit, metrics and tracing, growth %", found: growth("all"), most: 60 },
  ],
});
