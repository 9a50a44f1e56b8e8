/** Every metric of our own: name, type, labels, bounds, and help text (D10). */

/** One metric. */
export interface MetricRow {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** Its HELP line. */
  readonly help: string;
  /** Each label with its values, which all exist from the start; or a description of its values. */
  readonly labels: { readonly [label: string]: readonly string[] | string };
  /** Upper bounds of a histogram's buckets. */
  readonly bounds: readonly number[];
}

type Labels = MetricRow["labels"];

const counter = (name: string, labels: Labels, help: string): MetricRow => ({ name, type: "counter", help, labels, bounds: [] });
const gauge = (name: string, labels: Labels, help: string): MetricRow => ({ name, type: "gauge", help, labels, bounds: [] });
const histogram = (name: string, labels: Labels, bounds: readonly number[], help: string): MetricRow => ({
  name,
  type: "histogram",
  help,
  labels,
  bounds,
});

const milliseconds = [
  0.01, 0.05, 0.1, 0.3, 0.6, 0.8, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 30, 40, 50, 65, 80, 100, 130, 160, 200, 250, 300, 400, 500, 650,
  800, 1000, 2000, 5000, 10000, 20000, 50000, 100000,
];
const batchSizes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25, 30, 35, 40, 45, 50];
const callMilliseconds = [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10000];
const seconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const bytes = [0, 128, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304];

const outcome = { status: ["success", "failure"] };
const driver = { driver: "the kind of store: disk, git, bundle, or db for a database" };
const record = { kind: ["access", "decision"] };
const cache = { kind: ["jwt", "schema"] };
const exchange = {
  http_request_method: "the method, or `_OTHER` for one that HTTP does not define",
  http_response_status_code: "the status code",
  network_protocol_name: "http",
};

const unmoved = (why: string): string => `; nothing changes it yet: ${why}`;
const noPlans = unmoved("this server makes no query plans");
const bundlesAlone = "; only for the store `bundle`";

/** The table, in the order in which metrics are printed. */
export const metricTable = {
  checkLatency: histogram(
    "authz_dev_engine_check_latency",
    outcome,
    milliseconds,
    "Milliseconds that a check took, from its complete request to its answer; a request that is refused as invalid is not counted",
  ),
  checkBatchSize: histogram("authz_dev_engine_check_batch_size", {}, batchSizes, "Resources in a check"),
  planLatency: histogram("authz_dev_engine_plan_latency", outcome, milliseconds, `Milliseconds that making a query plan took${noPlans}`),
  compileDuration: histogram(
    "authz_dev_compiler_compile_duration",
    outcome,
    milliseconds,
    "Milliseconds that compiling a policy set took, or compiling what had changed in it",
  ),
  storePollCount: counter("authz_dev_store_poll_count", driver, "How often the store was checked for changes"),
  storeSyncErrorCount: counter(
    "authz_dev_store_sync_error_count",
    driver,
    "How often the store could not be read, or its policies could not be put in force",
  ),
  storeLastSuccessfulRefresh: gauge(
    "authz_dev_store_last_successful_refresh",
    driver,
    "When a policy set was last put in force, in milliseconds since 1970",
  ),
  storeSecondsSinceAgreement: gauge(
    "authz_dev_store_seconds_since_agreement",
    driver,
    "Seconds since the policies in force were last known to be those in the store: 0 while they are; it grows while the store does not answer, cannot be read or does not compile",
  ),
  bundleOpLatency: histogram(
    "authz_dev_store_bundle_op_latency",
    {},
    milliseconds,
    `Milliseconds that asking for the bundle took and, if there was a new one, checking it${bundlesAlone}`,
  ),
  bundleFetchErrorsCount: counter(
    "authz_dev_store_bundle_fetch_errors_count",
    {},
    `How often the bundle could not be fetched or read, or was refused${bundlesAlone}`,
  ),
  bundleUpdatesCount: counter(
    "authz_dev_store_bundle_updates_count",
    {},
    `How often a new bundle arrived, including the first one${bundlesAlone}`,
  ),
  bundleTrialDuration: histogram(
    "authz_dev_store_bundle_trial_duration",
    outcome,
    milliseconds,
    `Milliseconds that the trial of a bundle took before it was put in force; failure: the bundle was refused${bundlesAlone}`,
  ),
  cacheAccessCount: counter(
    "authz_dev_cache_access_count",
    { ...cache, result: ["hit", "miss"] },
    "How often a cache was asked: for the claims of a verified token (jwt), or for a compiled schema (schema)",
  ),
  cacheLiveObjects: gauge("authz_dev_cache_live_objects", cache, "How many objects a cache holds now"),
  cacheMaxSize: gauge("authz_dev_cache_max_size", cache, "How many objects a cache may hold; +Inf if only the policies limit it"),
  indexEntryCount: gauge("authz_dev_index_entry_count", {}, "Policy files in the policy set in force"),
  indexCrudCount: counter(
    "authz_dev_index_crud_count",
    { kind: ["create", "update", "delete"] },
    "Policy files that were new, changed or gone when a policy set was put in force",
  ),
  auditErrorCount: counter("authz_dev_audit_error_count", record, "Audit entries that could not be written in time"),
  auditOversizedEntryCount: counter(
    "authz_dev_audit_oversized_entry_count",
    record,
    "Audit entries larger than audit.maxEntrySize, written without their attributes",
  ),
  workers: gauge("authz_dev_workers", {}, "Processes that answer requests (server.workers)"),
  workersLostCount: counter(
    "authz_dev_workers_lost_count",
    {},
    "Workers that ended unexpectedly and had to be replaced; a single process has none",
  ),
  hubConnected: gauge(
    "authz_dev_hub_connected",
    {},
    `1 while a hosted policy hub is connected, else 0${unmoved("this server connects to no hub")}`,
  ),
  httpDuration: histogram("http_server_request_duration_seconds", exchange, seconds, "Seconds that answering an HTTP request took"),
  httpRequestSize: histogram("http_server_request_body_size_bytes", exchange, bytes, "Size of HTTP request bodies in bytes"),
  httpResponseSize: histogram("http_server_response_body_size_bytes", exchange, bytes, "Size of HTTP response bodies in bytes"),
  rpcDuration: histogram(
    "rpc_server_duration_milliseconds",
    {
      rpc_system: "grpc",
      rpc_service: "the service, such as authz.svc.v1.AuthzService",
      rpc_method: "the method",
      rpc_grpc_status_code: "the status code, as a number",
    },
    callMilliseconds,
    "Milliseconds that answering a gRPC call took",
  ),
} as const satisfies { readonly [name: string]: MetricRow };
