/** Every setting: its key, type, default, and a sentence that says what it is for. */
import type { Address } from "./address.ts";
import { keySets } from "./key-sets.ts";
import {
  address,
  boolean,
  duration,
  filledText,
  globals,
  integer,
  listOf,
  logLevel,
  oneOf,
  oneWorker,
  scope,
  version,
  type SettingType,
} from "./type.ts";

interface Setting<T> {
  readonly type: SettingType<T>;
  readonly default: T;
  readonly says: string;
}

const setting = <T>(type: SettingType<T>, fallback: T, says: string): Setting<T> => ({ type, default: fallback, says });

const everyInterface = (port: number): Address => ({ kind: "tcp", host: "", port });

/** The table, in the order in which a reader would ask. */
export const settings = {
  "server.httpListenAddr": setting(address, everyInterface(3592), "where HTTP is served"),
  "server.grpcListenAddr": setting(address, everyInterface(3593), "where gRPC is served"),
  "server.workers": setting(oneWorker, 1, "how many processes serve"),
  "server.logLevel": setting(logLevel, "info", "which log lines are written; --log-level and AUTHZ_LOG_LEVEL win over it"),
  "server.logRequestPayloads": setting(boolean, false, "also log what is asked and answered: slow, and attributes may be secrets"),
  "server.requestLimits.maxActionsPerResource": setting(integer(1, 500), 50, "how many actions one resource of a request may list"),
  "server.requestLimits.maxResourcesPerRequest": setting(integer(1, 500), 50, "how many resources one request may list"),
  "server.shutdownTimeout": setting(duration, 10_000, "how long requests that have begun may take to finish when the server stops"),

  "engine.defaultPolicyVersion": setting(version, "default", "the policy version of requests that name none"),
  "engine.defaultScope": setting(scope, "", "the scope of requests that name none"),
  "engine.globals": setting(globals, {}, "values that every condition can read as globals.<name>"),
  "engine.lenientScopeSearch": setting(boolean, false, "look for a policy in parent scopes when the scope itself has none"),
  "engine.strictEvaluation": setting(boolean, false, "deny an action when a condition that concerns it fails"),

  "schema.enforcement": setting(
    oneOf(["none", "warn", "reject"], "none, warn or reject"),
    "none",
    "what happens to requests whose attributes do not fit their schemas: nothing is looked at, it is told, or they are denied",
  ),
  "schema.allowRefs": setting(
    listOf(oneOf(["store", "file", "http"], ""), "a list of store, file and http"),
    ["store"],
    "where schemas may come from: the store itself, file: URLs, http(s): URLs of the allowed hosts",
  ),
  "schema.allowedHosts": setting(
    listOf(filledText, "a list of hosts"),
    [],
    "the hosts, with or without port, that schemas may be fetched from",
  ),

  "auxData.jwt.keySets": setting(keySets, [], "the keys that tokens of requests are verified with, by the id that requests name"),
  "auxData.jwt.acceptableTimeSkew": setting(duration, 0, "how far the clocks of those who sign tokens may be off"),
  "auxData.jwt.disableVerification": setting(boolean, false, "believe tokens without looking at their signatures: for development alone"),
  "auxData.jwt.cacheSize": setting(integer(0, 1_000_000), 1024, "how many verified tokens are remembered until they expire"),

  "storage.driver": setting(
    oneOf(["disk"], "disk: other stores are not supported yet"),
    "disk",
    "the kind of store that policies are read from",
  ),
  "storage.disk.directory": setting(filledText, "policies", "the folder that holds the policies"),
  "storage.disk.watchForChanges": setting(boolean, false, "take in changed files while serving (on when there is no configuration file)"),
} as const;

/** The defaults that differ when there is no configuration file (D18). */
export const defaultsWithoutFile = { "storage.disk.watchForChanges": true } as const;

/** The type of the table. */
export type Settings = typeof settings;
/** The dotted key of a setting. */
export type SettingKey = keyof Settings;

/** What the server goes by: the value of every setting. */
export type Config = { readonly [Key in SettingKey]: Settings[Key] extends Setting<infer T> ? T : never };
