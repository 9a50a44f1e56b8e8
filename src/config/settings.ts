/** Every setting: its key, type, default, and a sentence that says what it is for. */
import { highestMostSteps, lowestMostSteps, usualMostSteps } from "../../runtime/cel/most-steps.ts";
import { usualMostValues } from "../../runtime/wire/count-values.ts";
import type { Address } from "./address.ts";
import { keySets } from "./key-sets.ts";
import {
  address,
  boolean,
  dataSource,
  duration,
  durationBetween,
  fileMode,
  filledText,
  globals,
  host,
  integer,
  listOf,
  logLevel,
  oneOf,
  optionalText,
  passwordHash,
  period,
  repository,
  scope,
  userName,
  version,
  type SettingType,
} from "./type.ts";

/** One row. */
export interface Setting<T> {
  readonly type: SettingType<T>;
  readonly default: T;
  readonly says: string;
  /** The value is shown to nobody. */
  readonly isSecret: boolean;
}

const setting = <T>(type: SettingType<T>, fallback: T, says: string): Setting<T> => ({ type, default: fallback, says, isSecret: false });
const secret = <T>(type: SettingType<T>, fallback: T, says: string): Setting<T> => ({ type, default: fallback, says, isSecret: true });

const hour = 3_600_000;

const foreign = "is not supported: there are disk, git, sqlite and bundle";
const otherDrivers = {
  blob: `the store \`blob\` ${foreign}`,
  mysql: `the store \`mysql\` ${foreign}`,
  postgres: `the store \`postgres\` ${foreign}`,
  hub: `the store \`hub\` ${foreign}`,
  overlay: `the store \`overlay\` ${foreign}`,
} as const;
const otherBackends = {
  kafka: "the audit backend `kafka` is not supported: there are file and local",
  hub: "the audit backend `hub` is not supported: there are file and local",
} as const;

const everyInterface = (port: number): Address => ({ kind: "tcp", host: "", port });

/** The table, in the order in which a reader would ask. */
export const settings = {
  "server.httpListenAddr": setting(address, everyInterface(3592), "where HTTP is served"),
  "server.grpcListenAddr": setting(address, everyInterface(3593), "where gRPC is served"),
  "server.udsFileMode": setting(fileMode, 0o766, "who may use the socket file of an address such as unix:/run/authz.sock"),
  "server.tls.cert": setting(
    optionalText,
    "",
    "file of the server's certificate chain (PEM); both listeners use TLS when it and the key are set",
  ),
  "server.tls.key": setting(optionalText, "", "file of the certificate's private key (PEM)"),
  "server.tls.caCert": setting(
    optionalText,
    "",
    "file of the authorities (PEM) that client certificates must be signed by; when set, every client needs one",
  ),
  "server.adminAPI.enabled": setting(boolean, false, "serve the administration API"),
  "server.adminAPI.adminCredentials.username": setting(userName, "authz", "the administrator's name"),
  "server.adminAPI.adminCredentials.passwordHash": secret(
    passwordHash,
    "",
    "what `authz admin hash-password` makes of the administrator's password",
  ),
  "server.cors.disabled": setting(boolean, false, "do not let pages of other origins call the service"),
  "server.cors.allowedOrigins": setting(listOf(filledText, "a list of origins"), [], "the origins that may call; none: every origin"),
  "server.cors.allowedHeaders": setting(
    listOf(filledText, "a list of header names"),
    [],
    "the headers that may be sent; none: accept, content-type, user-agent and x-requested-with",
  ),
  "server.cors.maxAge": setting(duration, 0, "how long a browser may remember what it may do; 0: as long as it likes"),
  "server.metricsEnabled": setting(boolean, true, "serve metrics at /_authz/metrics"),
  "server.apiExplorerEnabled": setting(boolean, true, "serve a page at / that describes the API"),
  "server.advanced.http.readTimeout": setting(duration, 30_000, "how long a request may take to arrive"),
  "server.advanced.http.readHeaderTimeout": setting(duration, 15_000, "how long the headers of a request may take to arrive"),
  "server.advanced.http.writeTimeout": setting(duration, 30_000, "how long a client may take to receive an answer"),
  "server.advanced.http.idleTimeout": setting(duration, 120_000, "how long a connection may wait for its next request"),
  "server.advanced.grpc.maxRecvMsgSizeBytes": setting(integer(1, 2 ** 30), 4 * 1024 * 1024, "bytes of a request, over either transport"),
  "server.advanced.grpc.maxConcurrentStreams": setting(
    integer(0, 2 ** 32 - 1),
    1024,
    "calls that one gRPC connection may have open; 0: no limit",
  ),
  "server.advanced.grpc.maxConnectionAge": setting(duration, 600_000, "after how long a gRPC connection is asked to come again"),
  "server.advanced.grpc.connectionTimeout": setting(duration, 60_000, "how long a gRPC connection may take to be set up"),
  "server.workers": setting(
    integer(0, 256),
    0,
    "how many processes serve; 0: one for each core, as far as a container's share of time and memory goes",
  ),
  "server.logLevel": setting(logLevel, "info", "which log lines are written; --log-level and AUTHZ_LOG_LEVEL win over it"),
  "server.logRequestPayloads": setting(boolean, false, "also log what is asked and answered: slow, and attributes may be secrets"),
  "server.requestLimits.maxActionsPerResource": setting(integer(1, 500), 50, "how many actions one resource of a request may list"),
  "server.requestLimits.maxResourcesPerRequest": setting(integer(1, 500), 50, "how many resources one request may list"),
  "server.requestLimits.maxValuesPerRequest": setting(
    integer(1000, 10_000_000),
    usualMostValues,
    "how many fields and list items one check may hold at all depths; it is refused before they are read",
  ),
  "server.shutdownTimeout": setting(duration, 10_000, "how long requests that have begun may take to finish when the server stops"),

  "engine.defaultPolicyVersion": setting(version, "default", "the policy version of requests that name none"),
  "engine.defaultScope": setting(scope, "", "the scope of requests that name none"),
  "engine.globals": setting(globals, {}, "values that every condition can read as globals.<name>"),
  "engine.lenientScopeSearch": setting(boolean, false, "look for a policy in parent scopes when the scope itself has none"),
  "engine.celErrorLogLevel": setting(
    oneOf(["debug", "info", "warn", "error", "off"], "debug, info, warn, error or off"),
    "warn",
    "the level at which errors of conditions are logged",
  ),
  "engine.strictEvaluation": setting(boolean, false, "deny an action when a condition that concerns it fails"),
  "engine.maxEvaluationSteps": setting(
    integer(lowestMostSteps, highestMostSteps),
    usualMostSteps,
    "how many steps the loops of one condition may take together; a condition that takes more fails",
  ),

  "schema.enforcement": setting(
    oneOf(["none", "warn", "reject"], "none, warn or reject"),
    "none",
    "what happens to requests whose attributes do not fit their schemas: nothing is looked at, it is told, or they are denied",
  ),
  "schema.allowRefs": setting(
    listOf(oneOf(["store", "file", "http"], "store, file or http"), "a list of store, file and http"),
    ["store"],
    "where schemas may come from: the store itself, file: URLs, http(s): URLs of the allowed hosts",
  ),
  "schema.allowedHosts": setting(
    listOf(host, "a list of hosts such as example.com or example.com:8080"),
    [],
    "the hosts, with or without port, that schemas may be fetched from",
  ),

  "auxData.jwt.keySets": setting(keySets, [], "the keys that tokens of requests are verified with, by the id that requests name"),
  "auxData.jwt.acceptableTimeSkew": setting(duration, 0, "how far the clocks of those who sign tokens may be off"),
  "auxData.jwt.disableVerification": setting(boolean, false, "believe tokens without looking at their signatures: for development alone"),
  "auxData.jwt.cacheSize": setting(integer(0, 1_000_000), 1024, "how many verified tokens are remembered until they expire"),

  "storage.driver": setting(
    oneOf(["disk", "git", "sqlite", "sqlite3", "bundle"], "disk, git, sqlite or bundle", otherDrivers),
    "disk",
    "the kind of store that policies are read from; sqlite3 is sqlite by its other name",
  ),
  "storage.disk.directory": setting(filledText, "policies", "the folder that holds the policies"),
  "storage.disk.watchForChanges": setting(boolean, false, "take in changed files while serving (on when there is no configuration file)"),
  "storage.disk.readOnly": setting(boolean, false, "refuse to change the folder through the administration API"),
  "storage.git.protocol": setting(
    oneOf(["https", "http", "ssh", "file"], "https, http, ssh or file"),
    "https",
    "how the repository is reached",
  ),
  "storage.git.url": setting(
    repository,
    "",
    "the repository, such as https://git.example.com/policies.git, git@git.example.com:policies.git or a path",
  ),
  "storage.git.branch": setting(filledText, "master", "the branch whose newest commit holds the policies"),
  "storage.git.subDir": setting(optionalText, "", "the folder of the repository that holds the policies; none: its root"),
  "storage.git.checkoutDir": setting(
    optionalText,
    "",
    "where the repository is kept, so that a start needs no network; none: a folder of the user's cache",
  ),
  "storage.git.updatePollInterval": setting(duration, 0, "how often the repository is asked for something new; 0: only when it is told to"),
  "storage.git.operationTimeout": setting(duration, 60_000, "how long one exchange with the repository may take"),
  "storage.git.https.username": setting(optionalText, "", "the name to sign in with over https or http"),
  "storage.git.https.password": secret(optionalText, "", "the password or token that goes with it"),
  "storage.git.https.caCert": setting(
    optionalText,
    "",
    "file of the authorities (PEM) that sign the repository's certificate; none: those that Node trusts",
  ),
  "storage.git.ssh.user": setting(filledText, "git", "the name to sign in with over ssh"),
  "storage.git.ssh.privateKeyFile": setting(optionalText, "", "file of the private key to sign in with over ssh"),
  "storage.git.ssh.password": secret(optionalText, "", "what the private key is encrypted with"),
  "storage.bundle.path": setting(optionalText, "", "the bundle file"),
  "storage.bundle.url": setting(repository, "", "the https address that the bundle is fetched from"),
  "storage.bundle.publicKeys": setting(
    listOf(filledText, "a list of files"),
    [],
    "files of the public keys (PEM), one or more in each, of those whose bundles are loaded",
  ),
  "storage.bundle.allowUnsigned": setting(boolean, false, "load bundles that nobody has signed: for development alone"),
  "storage.bundle.cacheDir": setting(
    optionalText,
    "",
    "where the last good bundle is kept, so that a start needs no network, and which one passed its trial; none: a folder of the user's cache",
  ),
  "storage.bundle.updatePollInterval": setting(duration, 0, "how often something new is asked for; 0: only when it is told to"),
  "storage.bundle.operationTimeout": setting(durationBetween(100, hour), 60_000, "how long fetching the bundle may take"),
  "storage.bundle.username": setting(optionalText, "", "the name to sign in with where the bundle is fetched from"),
  "storage.bundle.password": secret(
    optionalText,
    "",
    "the password or token that goes with it; without a name it is sent as a bearer token",
  ),
  "storage.bundle.caCert": setting(
    optionalText,
    "",
    "file of the authorities (PEM) that sign the certificate there; none: those that Node trusts",
  ),
  "storage.sqlite.path": setting(optionalText, "", "the database file; `:memory:` for one that ends with the process"),
  "storage.sqlite3.dsn": setting(dataSource, "", "the same as a data source name: file:/path?_fk=true or :memory:?_fk=true"),

  "compile.cacheDir": setting(
    optionalText,
    "",
    "where compiled policies are kept, so that a start with the same policies compiles nothing; a folder that only the server's user can enter; none: nowhere",
  ),
  "compile.cacheTrust": setting(
    oneOf(["contents", "stamps"], "contents or stamps"),
    "contents",
    "how policies in a folder are known to be what was kept: all files are read before anything is answered; or files whose size, times, inode and device are the same are read afterwards",
  ),

  "audit.enabled": setting(boolean, false, "record calls and decisions"),
  "audit.backend": setting(oneOf(["file", "local"], "file or local", otherBackends), "file", "where they are recorded"),
  "audit.accessLogsEnabled": setting(boolean, true, "record every call"),
  "audit.decisionLogsEnabled": setting(boolean, true, "record every decision"),
  "audit.includeMetadataKeys": setting(listOf(filledText, "a list of header names"), [], "the request headers that entries record"),
  "audit.excludeMetadataKeys": setting(listOf(filledText, "a list of header names"), [], "the request headers that entries leave out"),
  "audit.decisionLogFilters.checkResources.ignoreAllowAll": setting(boolean, false, "leave out decisions that deny nothing"),
  "audit.maxEntrySize": setting(integer(1024, 2 ** 30), 1024 * 1024, "bytes of an entry; a larger one is written without its attributes"),
  "audit.file.path": setting(filledText, "stdout", "the file that entries are written to, or stdout or stderr"),
  "audit.file.additionalPaths": setting(listOf(filledText, "a list of paths"), [], "where they are written besides"),
  "audit.file.retentionPeriod": setting(period, 0, "how long closed segments of the file are kept; 0: for ever"),
  "audit.file.logRotation.maxFileSizeMB": setting(integer(0, 2 ** 20), 0, "megabytes after which a segment is closed; 0: no such limit"),
  "audit.file.logRotation.maxFileAgeDays": setting(integer(0, 36_500), 0, "days that a closed segment is kept; 0: for ever"),
  "audit.file.logRotation.maxFileCount": setting(integer(0, 1_000_000), 0, "closed segments that are kept; 0: all"),
  "audit.local.storagePath": setting(optionalText, "", "the folder of the database that entries are kept in"),
  "audit.local.retentionPeriod": setting(durationBetween(hour, 720 * hour), 168 * hour, "how long entries are kept"),
  "audit.local.advanced.bufferSize": setting(integer(1, 1_000_000), 16, "entries that wait to be written"),
  "audit.local.advanced.maxBatchSize": setting(integer(1, 1_000_000), 16, "entries that are written at once"),
  "audit.local.advanced.flushInterval": setting(durationBetween(1000, hour), 30_000, "how long an entry may wait to be written"),
  "audit.local.advanced.gcInterval": setting(duration, 900_000, "how often old entries are removed; 0: never"),

  "telemetry.enabled": setting(boolean, true, "keep metrics; this server reports nothing to anybody"),
  "telemetry.backend": setting(oneOf(["prometheus"], "prometheus"), "prometheus", "the form in which metrics are served"),
} as const;

/** The defaults that differ when there is no configuration file (D18). */
export const defaultsWithoutFile = { "storage.disk.watchForChanges": true } as const;

/** The type of the table. */
export type Settings = typeof settings;
/** The dotted key of a setting. */
export type SettingKey = keyof Settings;

/** The rows by key, without their types: for those who treat all alike. */
export const rows: { readonly [Key in SettingKey]: Setting<unknown> } = { ...settings };

/** Tells a key of the table from other words. */
export const isSetting = (path: string): path is SettingKey => Object.hasOwn(settings, path);

/** What the server goes by: the value of every setting. */
export type Config = { readonly [Key in SettingKey]: Settings[Key] extends Setting<infer T> ? T : never };
