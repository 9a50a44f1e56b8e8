/** Validates settings against each other: each rule looks at the whole configuration and reports at most one problem. */
import { areConflicting, printAddress } from "./address.ts";
import { gitProblems } from "./git-rules.ts";
import { bundleProblems } from "./bundle-rules.ts";
import type { Interpretation } from "./interpret.ts";
import type { ReportProblem } from "./problem.ts";
import type { SettingProblem } from "./setting-problem.ts";
import type { Config, SettingKey } from "./settings.ts";

type Rule = (context: RuleContext) => SettingProblem | undefined;

interface RuleContext {
  readonly config: Config;
  /** The setting is given, even if its value is invalid. */
  readonly isSet: (key: SettingKey) => boolean;
  /** All of these settings are absent or valid. Others are not examined. */
  readonly areValid: (...keys: readonly SettingKey[]) => boolean;
}

/** A rule: `key` needs `other`. */
const needs =
  (key: SettingKey, other: SettingKey, hint: string): Rule =>
  ({ isSet }) =>
    isSet(key) && !isSet(other) ? { severity: "error", at: key, message: `\`${key}\` needs \`${other}\` beside it`, hint } : undefined;

/** A rule: `key` and `other` exclude each other. */
const excludes =
  (key: SettingKey, other: SettingKey, hint: string): Rule =>
  ({ isSet }) =>
    isSet(key) && isSet(other)
      ? { severity: "error", at: key, message: `\`${key}\` and \`${other}\` exclude each other`, hint }
      : undefined;

const bothFiles = "TLS needs the certificate and its key";

const rules: readonly Rule[] = [
  needs("server.tls.cert", "server.tls.key", bothFiles),
  needs("server.tls.key", "server.tls.cert", bothFiles),
  needs("server.tls.caCert", "server.tls.cert", "client certificates are requested only over TLS"),
  ({ config, isSet }) =>
    config["server.adminAPI.enabled"] && !isSet("server.adminAPI.adminCredentials.passwordHash")
      ? {
          severity: "error",
          at: "server.adminAPI.enabled",
          message: "`server.adminAPI.enabled` needs `server.adminAPI.adminCredentials.passwordHash`: there is no default password",
          hint: "`authz admin hash-password` makes one",
        }
      : undefined,
  ({ config, areValid }) => {
    const [http, grpc] = [config["server.httpListenAddr"], config["server.grpcListenAddr"]];
    const what = printAddress(http) === printAddress(grpc) ? "are" : "lead to";
    return areValid("server.httpListenAddr", "server.grpcListenAddr") && areConflicting(http, grpc)
      ? {
          severity: "error",
          at: "server.grpcListenAddr",
          message: `\`server.grpcListenAddr\` and \`server.httpListenAddr\` ${what} the same address`,
          hint: "give each a port of its own",
        }
      : undefined;
  },
  ({ config, areValid }) =>
    areValid("schema.allowRefs", "schema.allowedHosts") &&
    config["schema.allowRefs"].includes("http") &&
    config["schema.allowedHosts"].length === 0
      ? {
          severity: "warning",
          at: "schema.allowRefs",
          message: "`schema.allowRefs` has http, but `schema.allowedHosts` names no host: nothing will be fetched",
        }
      : undefined,
  ({ config, isSet, areValid }) => {
    const driver = config["storage.driver"];
    if (!areValid("storage.driver") || (driver !== "sqlite" && driver !== "sqlite3")) return undefined;
    return isSet("storage.sqlite.path") || isSet("storage.sqlite3.dsn")
      ? undefined
      : {
          severity: "error",
          at: "storage.driver",
          message: `\`storage.driver: ${driver}\` needs \`storage.sqlite.path\``,
          hint: "name the database file, or write `:memory:` for one that ends with the process",
        };
  },
  excludes("storage.sqlite.path", "storage.sqlite3.dsn", "they name the same thing: keep `storage.sqlite.path`"),
  ({ config, isSet }) =>
    config["audit.enabled"] && config["audit.backend"] === "local" && !isSet("audit.local.storagePath")
      ? {
          severity: "error",
          at: "audit.backend",
          message: "`audit.backend: local` needs `audit.local.storagePath`",
          hint: "name a folder for the entries",
        }
      : undefined,
];

/** Applies every rule to a configuration. */
export function applyRules({ config, configured }: Interpretation, report: ReportProblem): void {
  const isValid = (key: SettingKey): boolean => configured.get(key)?.isValid ?? true;
  const context: RuleContext = {
    config,
    isSet: (key) => config[key] !== "" || !isValid(key),
    areValid: (...keys) => keys.every(isValid),
  };
  const broken = [
    ...rules.map((rule) => rule(context)).filter((problem) => problem !== undefined),
    ...gitProblems(config, isValid),
    ...bundleProblems(config, isValid),
  ];
  for (const { at, ...problem } of broken) report({ ...problem, place: configured.get(at)?.place ?? "the defaults" });
}
