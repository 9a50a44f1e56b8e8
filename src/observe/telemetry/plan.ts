/** Reads from the environment what is exported where; refuses with all mistakes at once. */
import type { Environment } from "../../config/environment.ts";
import { refusal } from "../../refusal.ts";
import { readConnection, type Connection } from "./connection.ts";
import { listed, openVariables, type Variables } from "./variables.ts";

/** What is exported. */
export interface Plan {
  readonly traces: TracesPlan | undefined;
  readonly metrics: MetricsPlan | undefined;
  /** The resource attributes, including the service's name. */
  readonly resource: { readonly [name: string]: string };
  /** Warnings for the operator. */
  readonly warnings: readonly string[];
}

/** How traces are sampled and sent. */
export interface TracesPlan {
  readonly connection: Connection;
  readonly sampler: Sampler;
  /**
   * How many ended spans may wait, the size of a batch, the milliseconds until a smaller one is sent, and the timeout of an export in
   * milliseconds.
   */
  readonly queue: { readonly most: number; readonly batch: number; readonly delay: number; readonly timeout: number };
}

/** Which calls are traced. */
export interface Sampler {
  readonly kind: SamplerKind;
  /** The share of traces, between 0 and 1; only used by the ratio-based kinds. */
  readonly ratio: number;
}

/** How often metrics are sent. */
export interface MetricsPlan {
  readonly connection: Connection;
  readonly intervalMilliseconds: number;
  readonly timeoutMilliseconds: number;
}

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
type SamplerKind = (typeof samplers)[number];

/** The default: a call is traced if its caller's trace is sampled. */
const usualSampler: SamplerKind = "parentbased_always_off";
const usualRatio = 0.1;

const nothing: Plan = { traces: undefined, metrics: undefined, resource: {}, warnings: [] };

/** Reads the environment; throws a refusal that lists every invalid variable. */
export function readPlan(environment: Environment): Plan {
  const variables = openVariables(environment);
  const plan = variables.flag(variables.first("OTEL_SDK_DISABLED")) ? nothing : read(variables);
  const mistakes = variables.mistakes();
  if (mistakes.length > 0) throw refusal(mistakes.join("\n"));
  return plan;
}

function read(variables: Variables): Plan {
  const warnings: string[] = [];
  const traces = readTraces(variables, warnings);
  const metrics = readMetrics(variables, warnings);
  if (traces === undefined && metrics === undefined) return { ...nothing, warnings };
  const attributes = Object.fromEntries(variables.pairs(variables.first("OTEL_RESOURCE_ATTRIBUTES")));
  const name = variables.first("OTEL_SERVICE_NAME")?.value ?? attributes["service.name"] ?? "authz";
  warnings.push(...(traces?.connection.warnings ?? []), ...(metrics?.connection.warnings ?? []));
  return { traces, metrics, resource: { ...attributes, "service.name": name }, warnings };
}

function readTraces(variables: Variables, warnings: string[]): TracesPlan | undefined {
  if (exporters(variables, "OTEL_TRACES_EXPORTER", ["otlp", "none"], "otlp").has("none")) return undefined;
  const asked = variables.first("OTEL_TRACES_SAMPLER", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL");
  const mistakesBefore = variables.mistakes().length;
  const connection = readConnection(variables, "traces");
  if (connection === undefined) {
    if (asked !== undefined && variables.mistakes().length === mistakesBefore)
      warnings.push(`${asked.name} is set, but nothing is traced: set OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`);
    // A wrong endpoint must not hide a wrong sampler.
    if (variables.mistakes().length > mistakesBefore) readSampler(variables);
    return undefined;
  }
  const most = variables.count(variables.first("OTEL_BSP_MAX_QUEUE_SIZE"), 2048);
  const queue = {
    most,
    batch: Math.min(most, variables.count(variables.first("OTEL_BSP_MAX_EXPORT_BATCH_SIZE"), 512)),
    delay: variables.count(variables.first("OTEL_BSP_SCHEDULE_DELAY"), 5000),
    timeout: variables.count(variables.first("OTEL_BSP_EXPORT_TIMEOUT"), 30_000),
  };
  return { connection, sampler: readSampler(variables), queue };
}

function readSampler(variables: Variables): Sampler {
  const kind = variables.choice(variables.first("OTEL_TRACES_SAMPLER"), samplers, usualSampler);
  if (kind !== "traceidratio" && kind !== "parentbased_traceidratio") return { kind, ratio: 1 };
  const found = variables.first("OTEL_TRACES_SAMPLER_ARG");
  const ratio = found === undefined ? usualRatio : Number(found.value);
  if (found !== undefined && !(ratio >= 0 && ratio <= 1))
    variables.mistake(found, `is \`${found.value}\`: the ratio must be between 0 and 1, such as 0.1 for every tenth trace`);
  return { kind, ratio };
}

function readMetrics(variables: Variables, warnings: string[]): MetricsPlan | undefined {
  if (!exporters(variables, "OTEL_METRICS_EXPORTER", ["prometheus", "otlp", "none"], "prometheus").has("otlp")) {
    const asked = variables.first("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
    if (asked !== undefined && variables.first("OTEL_METRICS_EXPORTER") === undefined)
      warnings.push(`${asked.name} is set, but no metrics are sent: set OTEL_METRICS_EXPORTER=otlp`);
    return undefined;
  }
  const mistakesBefore = variables.mistakes().length;
  const connection = readConnection(variables, "metrics");
  const intervalFound = variables.first("OTEL_METRIC_EXPORT_INTERVAL");
  const timeoutFound = variables.first("OTEL_METRIC_EXPORT_TIMEOUT");
  const intervalMilliseconds = variables.count(intervalFound, 60_000);
  const wished = variables.count(timeoutFound, 30_000);
  if (connection === undefined) {
    if (variables.mistakes().length === mistakesBefore)
      warnings.push("OTEL_METRICS_EXPORTER is otlp, but no metrics are sent: set OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
    return undefined;
  }
  if (timeoutFound !== undefined && wished > intervalMilliseconds)
    warnings.push(
      `OTEL_METRIC_EXPORT_TIMEOUT is longer than the interval of ${intervalMilliseconds} ms: an export is given up when the next is due`,
    );
  return { connection, intervalMilliseconds, timeoutMilliseconds: Math.min(wished, intervalMilliseconds) };
}

/** Reads a variable that may list several exporters. */
function exporters<Choice extends string>(
  variables: Variables,
  name: string,
  known: readonly Choice[],
  usual: Choice,
): ReadonlySet<string> {
  const found = variables.first(name);
  if (found === undefined) return new Set([usual]);
  const asked = found.value
    .toLowerCase()
    .split(",")
    .map((one) => one.trim());
  for (const one of asked)
    if (!known.some((choice) => choice === one)) variables.mistake(found, `asks for \`${one}\`: it can be ${listed(known)}`);
  return new Set(asked);
}
