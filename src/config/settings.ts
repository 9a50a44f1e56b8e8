/** Every setting: its key, type, default, and a sentence that says what it is for. */
import { maxStepLimit, minStepLimit, defaultStepLimit } from "../../runtime/cel/step-limit.ts";
import { defaultMaxValues } from "../../runtime/wire/count-values.ts";
import { unsupportedKey } from "./unsupported-keys.ts";
import type { Address } from "./address.ts";
import { keySets } from "./key-sets.ts";
import {
  address,
  boolean,
  dataSourceName,
  duration,
  durationBetween,
  fileMode,
  nonEmptyString,
  globals,
  host,
  integer,
  listOf,
  logLevel,
  oneOf,
  anyString,
  passwordHash,
  retentionPeriod,
  repository,
  scope,
  userName,
  version,
  type SettingType,
} from "./setting-types.ts";

/** One row of the table. */
export interface Setting<T> {
  readonly type: SettingType<T>;
  readonly default: T;
  readonly description: string;
  /** The value is masked wherever it is printed. */
  readonly isSecret: boolean;
}

const setting = <T>(type: SettingType<T>, fallback: T, description: string): Setting<T> => ({
  type,
  default: fallback,
  description,
  isSecret: false,
});
const secret = <T>(type: SettingType<T>, fallback: T, description: string): Setting<T> => ({
  type,
  default: fallback,
  description,
  isSecret: true,
});

const hour = 3_600_000;

const unsupportedDriver = (driver: string): { readonly message: string; readonly hint?: string } => {
  const hint = unsupportedKey(`storage.${driver}`)?.hint;
  return {
    message: `the store \`${driver}\` is not supported: there are disk, git, sqlite and bundle`,
    ...(hint !== undefined && { hint: `${hint} (docs/moving-in.md)` }),
  };
};
const unsupportedDrivers = {
  blob: unsupportedDriver("blob"),
  mysql: unsupportedDriver("mysql"),
  postgres: unsupportedDriver("postgres"),
  hub: unsupportedDriver("hub"),
  overlay: unsupportedDriver("overlay"),
} as const;
const unsupportedBackends = {
  kafka: { message: "the audit backend `kafka` is not supported: there are file and local" },
  hub: { message: "the audit backend `hub` is not supported: there are file and local" },
} as const;

const everyInterface = (port: number): Address => ({ kind: "tcp", host: "", port });

/** The table, in the order of the documentation. */
export const settings = {
  "server.httpListenAddr": setting(address, everyInterface(3592), "the address on which HTTP is served"),
  "server.grpcListenAddr": setting(address, everyInterface(3593), "the address on which gRPC is served"),
  "server.udsFileMode": setting(fileMode, 0o766, "the permissions of the socket file, if an address is one such as unix:/run/authz.sock"),
  "server.tls.cert": setting(
    anyString,
    "",
    "the file with the server's certificate chain (PEM); if it and the key are set, both listeners use TLS",
  ),
  "server.tls.key": setting(anyString, "", "the file with the certificate's private key (PEM)"),
  "server.tls.caCert": setting(
    anyString,
    "",
    "the file with the authorities (PEM) that must have signed client certificates; if set, every client needs a certificate",
  ),
  "server.adminAPI.enabled": setting(boolean, false, "whether the administration API is served"),
  "server.adminAPI.adminCredentials.username": setting(userName, "authz", "the administrator's name"),
  "server.adminAPI.adminCredentials.passwordHash": secret(passwordHash, "", "the hash of the administrator's password"),
  "server.cors.disabled": setting(boolean, false, "true: browsers do not let pages from other origins call this server"),
  "server.cors.allowedOrigins": setting(
    listOf(nonEmptyString, "a list of origins"),
    [],
    "the origins whose pages may call this server; empty: every origin (but only origins listed here may use the administration API)",
  ),
  "server.cors.allowedHeaders": setting(
    listOf(nonEmptyString, "a list of header names"),
    [],
    "the request headers that such pages may send; empty: accept, content-type, user-agent and x-requested-with",
  ),
  "server.cors.maxAge": setting(duration, 0, "how long a browser may remember these rules; 0: the browser decides"),
  "server.metricsEnabled": setting(boolean, true, "whether metrics are kept and served at /_authz/metrics"),
  "server.apiExplorerEnabled": setting(boolean, true, "whether a page that describes the API is served at /"),
  "server.advanced.http.readTimeout": setting(duration, 30_000, "how long a request may take to arrive; 0: no limit"),
  "server.advanced.http.readHeaderTimeout": setting(duration, 15_000, "how long the headers of a request may take to arrive; 0: no limit"),
  "server.advanced.http.writeTimeout": setting(duration, 30_000, "how long a client may take to receive an answer; 0: no limit"),
  "server.advanced.http.idleTimeout": setting(duration, 120_000, "how long an idle connection is kept open; 0: no limit"),
  "server.advanced.grpc.maxRecvMsgSizeBytes": setting(integer(1, 2 ** 30), 4 * 1024 * 1024, "the largest request, over HTTP or gRPC"),
  "server.advanced.grpc.maxConcurrentStreams": setting(
    integer(0, 2 ** 32 - 1),
    1024,
    "how many calls one gRPC connection may have open at once; 0: no limit",
  ),
  "server.advanced.grpc.maxConnectionAge": setting(duration, 600_000, "after how long a gRPC client is asked to reconnect; 0: never"),
  "server.advanced.grpc.connectionTimeout": setting(duration, 60_000, "how long setting up a gRPC connection may take; 0: no limit"),
  "server.workers": setting(
    integer(0, 256),
    0,
    "how many processes answer requests; 0: one per core, or fewer if the container's share of CPU or memory is smaller",
  ),
  "server.logLevel": setting(logLevel, "info", "the lowest level that is logged; --log-level and AUTHZ_LOG_LEVEL override it"),
  "server.logRequestPayloads": setting(boolean, false, "whether requests and answers are logged: slow, and shows attributes"),
  "server.requestLimits.maxActionsPerResource": setting(integer(1, 500), 50, "how many actions a request may list for one resource"),
  "server.requestLimits.maxResourcesPerRequest": setting(integer(1, 500), 50, "how many resources a request may list"),
  "server.requestLimits.maxValuesPerRequest": setting(
    integer(1000, 10_000_000),
    defaultMaxValues,
    "how many fields and list items a request may have, at all depths; a larger one is refused before anything is built from it",
  ),
  "server.shutdownTimeout": setting(duration, 10_000, "how long requests in progress may take to finish when the server stops"),

  "engine.defaultPolicyVersion": setting(version, "default", "the policy version for requests that name none"),
  "engine.defaultScope": setting(scope, "", "the scope for requests that name none"),
  "engine.globals": setting(globals, {}, "values that every condition can read as globals.<name>"),
  "engine.lenientScopeSearch": setting(boolean, false, "whether a scope that does not exist is replaced by its nearest parent"),
  "engine.celErrorLogLevel": setting(
    oneOf(["debug", "info", "warn", "error", "off"], "debug, info, warn, error or off"),
    "warn",
    "the level at which errors in conditions are logged",
  ),
  "engine.strictEvaluation": setting(boolean, false, "whether an error in a condition denies (else the condition does not hold)"),
  "engine.maxEvaluationSteps": setting(
    integer(minStepLimit, maxStepLimit),
    defaultStepLimit,
    "how many steps all loops of one condition may take together; a condition that needs more fails with an error",
  ),

  "schema.enforcement": setting(
    oneOf(["none", "warn", "reject"], "none, warn or reject"),
    "none",
    "what is done about attributes that do not match their schema: none: nothing is validated; warn: the answer lists the errors; reject: all actions are denied",
  ),
  "schema.allowRefs": setting(
    listOf(oneOf(["store", "file", "http"], "store, file or http"), "a list of store, file and http"),
    ["store"],
    "where schemas may be loaded from: the store, file: URLs, http: and https: URLs of the allowed hosts",
  ),
  "schema.allowedHosts": setting(
    listOf(host, "a list of hosts such as example.com or example.com:8080"),
    [],
    "the hosts, with or without a port, from which schemas may be fetched",
  ),

  "auxData.jwt.keySets": setting(keySets, [], "the keys that verify the tokens in requests; a request names the key set by its id"),
  "auxData.jwt.acceptableTimeSkew": setting(duration, 0, "how far the clocks of token issuers may be off"),
  "auxData.jwt.disableVerification": setting(boolean, false, "whether signatures of tokens go unverified: only for development"),
  "auxData.jwt.cacheSize": setting(integer(0, 1_000_000), 1024, "how many verified tokens are remembered until they expire"),

  "storage.driver": setting(
    oneOf(["disk", "git", "sqlite", "sqlite3", "bundle"], "disk, git, sqlite or bundle", unsupportedDrivers),
    "disk",
    "the kind of store from which policies are read; sqlite3 is another name for sqlite",
  ),
  "storage.disk.directory": setting(nonEmptyString, "policies", "the folder that holds the policies"),
  "storage.disk.watchForChanges": setting(boolean, false, "whether changed files are loaded (true without a configuration file)"),
  "storage.disk.readOnly": setting(boolean, false, "true: policies and schemas cannot be changed through the administration API"),
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
  "storage.git.branch": setting(nonEmptyString, "master", "the branch whose newest commit holds the policies"),
  "storage.git.subDir": setting(anyString, "", "the folder in the repository that holds the policies; empty: its root"),
  "storage.git.checkoutDir": setting(
    anyString,
    "",
    "the folder for a local copy of the repository, so that the server can start without network; empty: a folder in the user's cache",
  ),
  "storage.git.updatePollInterval": setting(duration, 0, "how often new commits are fetched; 0: only when an administrator reloads"),
  "storage.git.operationTimeout": setting(duration, 60_000, "how long one exchange with the repository may take"),
  "storage.git.https.username": setting(anyString, "", "the user name for https or http"),
  "storage.git.https.password": secret(anyString, "", "the password or token for that user"),
  "storage.git.https.caCert": setting(
    anyString,
    "",
    "the file with the authorities (PEM) that must have signed the git server's certificate; empty: those that Node trusts",
  ),
  "storage.git.ssh.user": setting(nonEmptyString, "git", "the user name for ssh"),
  "storage.git.ssh.privateKeyFile": setting(anyString, "", "the file with the private key for ssh"),
  "storage.git.ssh.password": secret(anyString, "", "the passphrase of the private key"),
  "storage.bundle.path": setting(anyString, "", "the bundle file"),
  "storage.bundle.url": setting(repository, "", "the https address from which the bundle is fetched"),
  "storage.bundle.publicKeys": setting(
    listOf(nonEmptyString, "a list of files"),
    [],
    "files with one or more public keys (PEM) each; a bundle must be signed by one of them",
  ),
  "storage.bundle.allowUnsigned": setting(boolean, false, "whether bundles are loaded without checking signatures: only for development"),
  "storage.bundle.cacheDir": setting(
    anyString,
    "",
    "the folder for the last good bundle, so that the server can start without network, and for the record of which bundle passed its trial; empty: a folder in the user's cache",
  ),
  "storage.bundle.updatePollInterval": setting(duration, 0, "how often a new bundle is fetched; 0: only when an administrator reloads"),
  "storage.bundle.operationTimeout": setting(durationBetween(100, hour), 60_000, "how long fetching the bundle may take"),
  "storage.bundle.username": setting(anyString, "", "the user name for the server that has the bundle"),
  "storage.bundle.password": secret(anyString, "", "the password for that user; without a user name it is sent as a bearer token"),
  "storage.bundle.caCert": setting(
    anyString,
    "",
    "the file with the authorities (PEM) that must have signed that server's certificate; empty: those that Node trusts",
  ),
  "storage.sqlite.path": setting(anyString, "", "the database file; `:memory:` is a database that ends with the process"),
  "storage.sqlite3.dsn": setting(dataSourceName, "", "the same, as a data source name: file:/path?_fk=true or :memory:?_fk=true"),

  "compile.cacheDir": setting(
    anyString,
    "",
    "the folder where compiled policies are kept, so that the next start with the same policies compiles nothing; only the server's user may have access to it; empty: they are not kept",
  ),
  "compile.cacheTrust": setting(
    oneOf(["contents", "stamps"], "contents or stamps"),
    "contents",
    "how the server makes sure that the kept policies are those in the folder: contents: it reads all files before it answers; stamps: files with unchanged size, times, inode and device are read later",
  ),

  "audit.enabled": setting(boolean, false, "whether calls and decisions are recorded"),
  "audit.backend": setting(
    oneOf(["file", "local"], "file or local", unsupportedBackends),
    "file",
    "where: in a file, or in a database to query",
  ),
  "audit.accessLogsEnabled": setting(boolean, true, "whether calls are recorded"),
  "audit.decisionLogsEnabled": setting(boolean, true, "whether decisions are recorded"),
  "audit.includeMetadataKeys": setting(listOf(nonEmptyString, "a list of header names"), [], "the request headers that are recorded"),
  "audit.excludeMetadataKeys": setting(
    listOf(nonEmptyString, "a list of header names"),
    [],
    "the request headers that are not recorded; if only this list is set, all others are, but never credentials or cookies",
  ),
  "audit.decisionLogFilters.checkResources.ignoreAllowAll": setting(boolean, false, "whether decisions that deny nothing are left out"),
  // JavaScript engines have no much longer strings.
  "audit.maxEntrySize": setting(integer(1024, 2 ** 28), 1024 * 1024, "the largest entry in bytes; larger ones lose their attributes"),
  "audit.file.path": setting(nonEmptyString, "stdout", "the file to which entries are written, or stdout or stderr"),
  "audit.file.additionalPaths": setting(listOf(nonEmptyString, "a list of paths"), [], "further files to which entries are written"),
  "audit.file.retentionPeriod": setting(retentionPeriod, 0, "how long closed files are kept; 0: forever"),
  "audit.file.logRotation.maxFileSizeMB": setting(integer(0, 2 ** 20), 0, "megabytes at which a file is closed; 0: no limit"),
  "audit.file.logRotation.maxFileAgeDays": setting(integer(0, 36_500), 0, "how many days closed files are kept; 0: forever"),
  "audit.file.logRotation.maxFileCount": setting(integer(0, 1_000_000), 0, "how many closed files are kept; 0: all"),
  "audit.local.storagePath": setting(anyString, "", "the folder of the database in which entries are kept"),
  "audit.local.retentionPeriod": setting(durationBetween(hour, 720 * hour), 168 * hour, "how long entries are kept"),
  "audit.local.advanced.bufferSize": setting(integer(1, 1_000_000), 16, "how many entries may wait before they are written"),
  "audit.local.advanced.maxBatchSize": setting(integer(1, 1_000_000), 16, "how many entries are written at once"),
  "audit.local.advanced.flushInterval": setting(durationBetween(1000, hour), 30_000, "how long entries may wait before they are written"),
  "audit.local.advanced.gcInterval": setting(duration, 900_000, "how often expired entries are deleted; 0: never"),

  "telemetry.enabled": setting(boolean, true, "whether metrics are kept; usage is never reported to anybody"),
  "telemetry.backend": setting(oneOf(["prometheus"], "prometheus"), "prometheus", "the format in which metrics are served"),
} as const;

/** Defaults that differ when there is no configuration file (D18). */
export const defaultsWithoutFile = { "storage.disk.watchForChanges": true } as const;

/** The type of the table. */
export type Settings = typeof settings;
/** A setting's dotted key. */
export type SettingKey = keyof Settings;

/** The rows by key, without the types of their values. */
export const settingsByKey: { readonly [Key in SettingKey]: Setting<unknown> } = { ...settings };

/** Returns whether a string is the key of a setting. */
export const isSettingKey = (path: string): path is SettingKey => Object.hasOwn(settings, path);

/** The value of every setting. */
export type Config = { readonly [Key in SettingKey]: Settings[Key] extends Setting<infer T> ? T : never };
