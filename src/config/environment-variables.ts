/** The table of environment variables that the program reads, as the documentation prints it. */

/** One variable, or the three variants of one: for all telemetry, for metrics, and for traces. */
export interface EnvironmentVariable {
  readonly names: readonly string[];
  readonly default?: string;
  readonly description: string;
}

const variable = (name: string, fallback: string, description: string): EnvironmentVariable => ({
  names: [name],
  description,
  ...(fallback !== "" && { default: fallback }),
});
const exporterVariables = (suffix: string, fallback: string, description: string): EnvironmentVariable => ({
  ...variable("", fallback, description),
  names: ["", "METRICS_", "TRACES_"].map((signal) => `OTEL_EXPORTER_OTLP_${signal}${suffix}`),
});

/** The table, in the order in which an operator meets them. */
// oxfmt-ignore
export const environmentVariables: readonly EnvironmentVariable[] = [
  variable("AUTHZ_CONFIG", "", "the configuration file, if `--config` names none"),
  variable("AUTHZ_LOG_LEVEL", "", "the lowest level that is logged: `debug`, `info`, `warn`, `error` or `V1`, `V2`, ...; it overrides `--log-level`, which overrides `server.logLevel`"),
  variable("AUTHZ_TEMP_LOG_LEVEL_DURATION", "10m", "how long debug logging stays on after SIGUSR1"),
  variable("NO_COLOR", "", "if set to anything, the log on a terminal has no colours"),
  variable("AUTHZ_HC_KIND", "grpc", "`--kind` of `authz healthcheck`: `grpc` or `http`"),
  variable("AUTHZ_HC_HOSTPORT", "127.0.0.1:3593, for http 127.0.0.1:3592", "`--host-port` of `authz healthcheck`"),
  variable("AUTHZ_HC_TIMEOUT", "2s", "`--timeout` of `authz healthcheck`"),
  variable("AUTHZ_HC_CACERT", "", "`--ca-cert` of `authz healthcheck`"),
  variable("AUTHZ_HC_CLIENTCERT", "", "`--client-cert` of `authz healthcheck`"),
  variable("AUTHZ_HC_CLIENTKEY", "", "`--client-key` of `authz healthcheck`"),
  variable("AUTHZ_HC_INSECURE", "", "`true`: `--insecure` of `authz healthcheck`"),
  variable("AUTHZ_HC_NOTLS", "", "`true`: `--no-tls` of `authz healthcheck`"),
  variable("AUTHZ_SERVER", "localhost:3593", "`--server` of `authz admin`"),
  variable("AUTHZ_USERNAME", "", "`--username` of `authz admin`"),
  variable("AUTHZ_PASSWORD", "", "`--password` of `authz admin`; unlike the option, it is not visible to other users of the machine"),
  variable("NETRC", "~/.netrc", "the file in which `authz admin` looks for a user name and password that are not given otherwise"),
  variable("XDG_CACHE_HOME", "~/.cache", "the folder for copies of git repositories and bundles, unless the settings name another"),
  variable("HTTPS_PROXY", "", "the proxy through which https addresses of repositories, bundles, key sets, schemas and collectors are asked; or `https_proxy`"),
  variable("HTTP_PROXY", "", "the proxy for http addresses, but for collectors; or `http_proxy`"),
  variable("NO_PROXY", "", "hosts, domains, addresses and networks that are asked directly, separated by commas; or `no_proxy`"),
  variable("OTEL_SDK_DISABLED", "false", "`true`: nothing is exported, whatever the other variables say"),
  variable("OTEL_METRICS_EXPORTER", "prometheus", "`otlp`: metrics are sent to a collector; `none`: they are not"),
  variable("OTEL_TRACES_EXPORTER", "otlp", "`none`: nothing is traced"),
  exporterVariables("ENDPOINT", "", "the URL of the collector; without one for traces, nothing is traced"),
  exporterVariables("PROTOCOL", "grpc", "`grpc` or `http/protobuf`"),
  exporterVariables("INSECURE", "false", "`true`: the collector's certificate is not verified: only for development"),
  exporterVariables("CERTIFICATE", "", "the file with the authority that signed the collector's certificate"),
  exporterVariables("CLIENT_CERTIFICATE", "", "the file with the certificate that this server presents to the collector"),
  exporterVariables("CLIENT_KEY", "", "the file with the key of that certificate"),
  exporterVariables("HEADERS", "", "headers to send, as `name=value`, separated by commas; keep them secret if they contain a token"),
  exporterVariables("TIMEOUT", "10000", "how long an export may take, with all retries, in milliseconds"),
  exporterVariables("COMPRESSION", "none", "`gzip` or `none`"),
  variable("OTEL_METRIC_EXPORT_INTERVAL", "60000", "the time between two exports of metrics, in milliseconds"),
  variable("OTEL_METRIC_EXPORT_TIMEOUT", "30000", "how long an export of metrics may take, in milliseconds"),
  variable("OTEL_SERVICE_NAME", "authz", "the name of this server in traces and metrics"),
  variable("OTEL_RESOURCE_ATTRIBUTES", "", "further attributes of this server, as `name=value`, separated by commas"),
  variable("OTEL_TRACES_SAMPLER", "parentbased_always_off", "which calls are traced: `always_on`, `always_off`, `traceidratio`, `parentbased_always_on`, `parentbased_always_off` or `parentbased_traceidratio`"),
  variable("OTEL_TRACES_SAMPLER_ARG", "0.1", "the ratio, such as 0.1 for one call in ten"),
  variable("OTEL_BSP_MAX_QUEUE_SIZE", "2048", "how many spans may wait to be sent"),
  variable("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "512", "how many spans are sent at once"),
  variable("OTEL_BSP_SCHEDULE_DELAY", "5000", "the time between two exports of spans, in milliseconds"),
  variable("OTEL_BSP_EXPORT_TIMEOUT", "30000", "how long an export of spans may take, in milliseconds"),
];
