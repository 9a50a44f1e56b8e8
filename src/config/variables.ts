/** The environment variables that mean something to the program, as documentation shows them. */

/** One variable, or the three that say one thing for everything, for metrics and for traces. */
export interface Variable {
  readonly names: readonly string[];
  readonly default?: string;
  readonly says: string;
}

const one = (name: string, usually: string, says: string): Variable => ({
  names: [name],
  says,
  ...(usually !== "" && { default: usually }),
});
const collector = (suffix: string, usually: string, says: string): Variable => ({
  ...one("", usually, says),
  names: ["", "METRICS_", "TRACES_"].map((signal) => `OTEL_EXPORTER_OTLP_${signal}${suffix}`),
});

/** In the order in which an operator meets them. */
// oxfmt-ignore
export const variables: readonly Variable[] = [
  one("AUTHZ_CONFIG", "", "the configuration file, where `--config` names none"),
  one("AUTHZ_LOG_LEVEL", "", "which log lines are written: `debug`, `info`, `warn`, `error` or `V1`, `V2`, ...; it wins over `--log-level`, which wins over `server.logLevel`"),
  one("AUTHZ_TEMP_LOG_LEVEL_DURATION", "10m", "for how long SIGUSR1 turns debug logging on"),
  one("NO_COLOR", "", "anything: the log of a terminal has no colours"),
  one("AUTHZ_HC_KIND", "grpc", "`--kind` of `authz healthcheck`: `grpc` or `http`"),
  one("AUTHZ_HC_HOSTPORT", "127.0.0.1:3593, for http 127.0.0.1:3592", "`--host-port` of `authz healthcheck`"),
  one("AUTHZ_HC_TIMEOUT", "2s", "`--timeout` of `authz healthcheck`"),
  one("AUTHZ_HC_CACERT", "", "`--ca-cert` of `authz healthcheck`"),
  one("AUTHZ_HC_CLIENTCERT", "", "`--client-cert` of `authz healthcheck`"),
  one("AUTHZ_HC_CLIENTKEY", "", "`--client-key` of `authz healthcheck`"),
  one("AUTHZ_HC_INSECURE", "", "`true` is `--insecure` of `authz healthcheck`"),
  one("AUTHZ_HC_NOTLS", "", "`true` is `--no-tls` of `authz healthcheck`"),
  one("AUTHZ_SERVER", "localhost:3593", "`--server` of `authz admin`"),
  one("AUTHZ_USERNAME", "", "`--username` of `authz admin`"),
  one("AUTHZ_PASSWORD", "", "`--password` of `authz admin`, which others on the machine cannot see as they could an option"),
  one("NETRC", "~/.netrc", "where `authz admin` looks for a name and a password besides"),
  one("XDG_CACHE_HOME", "~/.cache", "where copies of git repositories and bundles are kept, unless the settings name a folder"),
  one("OTEL_SDK_DISABLED", "false", "`true` exports nothing, whatever the others say"),
  one("OTEL_METRICS_EXPORTER", "prometheus", "`otlp` sends metrics to a collector, `none` keeps them here"),
  one("OTEL_TRACES_EXPORTER", "otlp", "`none` traces nothing"),
  collector("ENDPOINT", "", "URL of the collector; without one for traces nothing is traced"),
  collector("PROTOCOL", "grpc", "`grpc` or `http/protobuf`"),
  collector("INSECURE", "false", "`true` does not verify the collector's certificate: for development alone"),
  collector("CERTIFICATE", "", "file of the authority that signed the collector's certificate"),
  collector("CLIENT_CERTIFICATE", "", "file of the certificate that this server shows the collector"),
  collector("CLIENT_KEY", "", "file of the key of that certificate"),
  collector("HEADERS", "", "headers to send along, `name=value` with commas between them: a secret, if they hold a token"),
  collector("TIMEOUT", "10000", "milliseconds that an export may take with all its repetitions"),
  collector("COMPRESSION", "none", "`gzip` or `none`"),
  one("OTEL_METRIC_EXPORT_INTERVAL", "60000", "milliseconds between two exports of metrics"),
  one("OTEL_METRIC_EXPORT_TIMEOUT", "30000", "milliseconds that an export of metrics may take"),
  one("OTEL_SERVICE_NAME", "authz", "what this server is called in traces and metrics"),
  one("OTEL_RESOURCE_ATTRIBUTES", "", "what else is said of it, `name=value` with commas between them"),
  one("OTEL_TRACES_SAMPLER", "parentbased_always_off", "which calls are traced: `always_on`, `always_off`, `traceidratio`, `parentbased_always_on`, `parentbased_always_off` or `parentbased_traceidratio`"),
  one("OTEL_TRACES_SAMPLER_ARG", "0.1", "the ratio, such as 0.1 for one call in ten"),
  one("OTEL_BSP_MAX_QUEUE_SIZE", "2048", "spans that wait to be sent"),
  one("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "512", "spans that are sent at once"),
  one("OTEL_BSP_SCHEDULE_DELAY", "5000", "milliseconds between two exports of spans"),
  one("OTEL_BSP_EXPORT_TIMEOUT", "30000", "milliseconds that an export of spans may take"),
];
