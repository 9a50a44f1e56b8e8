/** Prints docs/metrics.md: every metric of our own, with its labels and what it counts. */
import { metricTable, type MetricRow } from "./metric-table.ts";

const introduction = `# Metrics

Printed from the table of metrics; \`npm run golden -- --accept\` prints it anew.

\`GET /_authz/metrics\` on the HTTP address answers the text that Prometheus reads. OpenTelemetry gets the same metrics where the environment asks for it (\`OTEL_METRICS_EXPORTER=otlp\`). \`server.metricsEnabled: false\` or \`telemetry.enabled: false\` turns all of them off: then nothing is counted either.

- A metric whose labels have fixed values shows every combination from the start, at zero. The metrics of HTTP and gRPC show a combination when it first comes.
- A counter or histogram starts at zero with the process.
- \`driver\` is the kind of store: \`disk\`, or \`db\` for a database.`;

const process = `## The process

| metric | type | says |
| --- | --- | --- |
| \`process_cpu_seconds_total\` | counter | processor time, also apart as \`process_cpu_user_seconds_total\` and \`process_cpu_system_seconds_total\` |
| \`process_resident_memory_bytes\` | gauge | memory; \`process_virtual_memory_bytes\`, \`process_heap_bytes\` besides |
| \`process_open_fds\`, \`process_max_fds\` | gauge | file descriptors; every connection is one |
| \`process_start_time_seconds\` | gauge | when the process started |
| \`nodejs_eventloop_lag_seconds\` | gauge | how late the event loop is, looked at ten times a second, also as \`_min _max _mean _stddev _p50 _p90 _p99\` |
| \`nodejs_gc_duration_seconds\` | histogram | pauses for garbage collection, by \`kind\` |
| \`nodejs_heap_size_total_bytes\`, \`nodejs_heap_size_used_bytes\`, \`nodejs_external_memory_bytes\` | gauge | memory of JavaScript; \`nodejs_heap_space_size_*_bytes\` by \`space\` |
| \`nodejs_active_handles\`, \`nodejs_active_requests\`, \`nodejs_active_resources\` | gauge | what keeps the process busy, by \`type\`, and as \`_total\` |
| \`nodejs_version_info\` | gauge | the version of Node |`;

/** Prints the whole page. */
export function printPage(): string {
  const rows: readonly MetricRow[] = Object.values(metricTable);
  const [ours, transport] = [rows.filter(isOurs), rows.filter((row) => !isOurs(row))];
  return `${[
    introduction,
    `## Decisions, policies and what they rest on\n\n${table(ours)}`,
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
  return ["| metric | type | labels | says |", "| --- | --- | --- | --- |", ...lines].join("\n");
}

function printLabels(labels: MetricRow["labels"]): string {
  const printed = Object.entries(labels).map(([label, values]) =>
    typeof values === "string" ? `\`${label}\`: ${values}` : `\`${label}\`: ${values.map((value) => `\`${value}\``).join(" ")}`,
  );
  return printed.join("; ");
}

const buckets = ({ name, bounds }: MetricRow): string => `- \`${name}\`: ${bounds.join(" ")} +Inf`;
