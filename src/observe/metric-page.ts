/** Prints docs/metrics.md: every metric of our own, with its labels and what it counts. */
import { metricTable, type MetricRow } from "./metric-table.ts";

const introduction = `# Metrics

Every metric that a server has. This page is generated from the table of metrics (\`npm run golden -- --accept\`). Which of them to alert on: [operations](operations.md#monitor-it).

- **Prometheus** reads them from \`GET /_authz/metrics\` on the HTTP address.
- **OpenTelemetry**: set \`OTEL_METRICS_EXPORTER=otlp\` and \`OTEL_EXPORTER_OTLP_ENDPOINT\` ([variables](configuration.md#environment-variables)), and the server sends the same metrics to your collector.
- **To turn metrics off**, set \`server.metricsEnabled: false\` or \`telemetry.enabled: false\`. Then nothing is counted.

Counters and histograms start at zero with the process. If the values of a metric's labels are fixed, every combination is there from the start, at zero; the metrics of HTTP and gRPC show a combination once it has occurred.`;

const process = `## The process

| metric | type | what it tells |
| --- | --- | --- |
| \`process_cpu_seconds_total\` | counter | CPU time; also split into \`process_cpu_user_seconds_total\` and \`process_cpu_system_seconds_total\` |
| \`process_resident_memory_bytes\` | gauge | resident memory; also \`process_virtual_memory_bytes\`, \`process_heap_bytes\` |
| \`process_open_fds\`, \`process_max_fds\` | gauge | open file descriptors, and how many are allowed; every connection is one |
| \`process_start_time_seconds\` | gauge | when the process started |
| \`nodejs_eventloop_lag_seconds\` | gauge | how late the event loop is, sampled ten times a second; also \`nodejs_eventloop_lag_min_seconds\`, and so on for \`max\`, \`mean\`, \`stddev\`, \`p50\`, \`p90\`, \`p99\` |
| \`nodejs_gc_duration_seconds\` | histogram | pauses for garbage collection, by \`kind\` |
| \`nodejs_heap_size_total_bytes\`, \`nodejs_heap_size_used_bytes\`, \`nodejs_external_memory_bytes\` | gauge | JavaScript memory; also \`nodejs_heap_space_size_*_bytes\`, by \`space\` |
| \`nodejs_active_handles\`, \`nodejs_active_requests\`, \`nodejs_active_resources\` | gauge | what keeps the process running, by \`type\`; the sum of each ends in \`_total\` |
| \`nodejs_version_info\` | gauge | the version of Node |`;

/** Prints the whole page. */
export function printPage(): string {
  const rows: readonly MetricRow[] = Object.values(metricTable);
  const [ours, transport] = [rows.filter(isOurs), rows.filter((row) => !isOurs(row))];
  return `${[
    introduction,
    `## Decisions, policies, stores and audit\n\n${table(ours)}`,
    `## HTTP and gRPC\n\n${table(transport)}`,
    process,
    `## Buckets\n\n${rows
      .filter(({ type }) => type === "histogram")
      .map(buckets)
      .join("\n")}`,
  ].join("\n\n")}\n`;
}

const isOurs = ({ name }: MetricRow): boolean => name.startsWith("authz_");

function table(rows: readonly MetricRow[]): string {
  const lines = rows.map(({ name, type, labels, help }) => `| \`${name}\` | ${type} | ${printLabels(labels)} | ${help} |`);
  return ["| metric | type | labels | what it tells |", "| --- | --- | --- | --- |", ...lines].join("\n");
}

function printLabels(labels: MetricRow["labels"]): string {
  const printed = Object.entries(labels).map(([label, values]) =>
    typeof values === "string" ? `\`${label}\`: ${values}` : `\`${label}\`: ${values.map((value) => `\`${value}\``).join(" ")}`,
  );
  return printed.join("; ");
}

const buckets = ({ name, bounds }: MetricRow): string => `- \`${name}\`: ${bounds.join(" ")} +Inf`;
