/** Validates the settings of the git store against each other, where that store is used. */
import { isLoopback } from "./bundle-address.ts";
import { branchProblem, parseGitAddress, subDirProblem } from "./git-address.ts";
import { settingError, type SettingProblem } from "./setting-problem.ts";
import type { Config, SettingKey } from "./settings.ts";
import { credentialProblems } from "./basic-auth.ts";

/** Settings that apply to certain protocols only. */
const protocolSettings: readonly (readonly [key: SettingKey, protocols: readonly string[]])[] = [
  ["storage.git.https.username", ["https", "http"]],
  ["storage.git.https.password", ["https", "http"]],
  ["storage.git.https.caCert", ["https"]],
  ["storage.git.ssh.privateKeyFile", ["ssh"]],
  ["storage.git.ssh.password", ["ssh"]],
];

/** Returns every problem. Settings that could not be read are not examined further. */
export function gitProblems(config: Config, isValid: (key: SettingKey) => boolean): readonly SettingProblem[] {
  if (config["storage.driver"] !== "git" || !isValid("storage.driver")) return [];
  const { "storage.git.protocol": protocol, "storage.git.url": url } = config;
  const problems: SettingProblem[] = [];
  if (isValid("storage.git.url") && isValid("storage.git.protocol")) {
    if (url === "") problems.push(settingError("storage.driver", "`storage.driver: git` needs `storage.git.url`", "name the repository"));
    else problems.push(...addressProblems(config));
    for (const [key, protocols] of protocolSettings)
      if (config[key] !== "" && !protocols.includes(protocol))
        problems.push({ severity: "warning", at: key, message: `\`${key}\` does nothing while \`storage.git.protocol\` is ${protocol}` });
  }
  if (protocol === "https" || protocol === "http")
    problems.push(...credentialProblems(config, ["storage.git.https.username", "storage.git.https.password"]));
  const branch = isValid("storage.git.branch") ? branchProblem(config["storage.git.branch"]) : undefined;
  if (branch !== undefined) problems.push(settingError("storage.git.branch", branch));
  const folder = isValid("storage.git.subDir") ? subDirProblem(config["storage.git.subDir"]) : undefined;
  if (folder !== undefined) problems.push(settingError("storage.git.subDir", folder));
  if (isValid("storage.git.operationTimeout") && config["storage.git.operationTimeout"] <= 0)
    problems.push(settingError("storage.git.operationTimeout", "`storage.git.operationTimeout` must be greater than zero", "60s is usual"));
  if (config["storage.git.ssh.password"] !== "" && config["storage.git.ssh.privateKeyFile"] === "" && protocol === "ssh")
    problems.push(
      settingError(
        "storage.git.ssh.password",
        "`storage.git.ssh.password` needs `storage.git.ssh.privateKeyFile`: it is what that key is encrypted with",
      ),
    );
  return problems;
}

function addressProblems(config: Config): readonly SettingProblem[] {
  const { "storage.git.protocol": protocol, "storage.git.https.username": username, "storage.git.https.password": password } = config;
  const address = parseGitAddress(protocol, config["storage.git.url"]);
  if ("message" in address) return [settingError("storage.git.url", address.message, address.hint)];
  if (address.kind !== "http") return [];
  const inAddress = address.username !== "" || address.password !== "";
  if (inAddress && (username !== "" || password !== ""))
    return [
      settingError(
        "storage.git.url",
        "`storage.git.url` holds credentials, and so does `storage.git.https`",
        "keep those of `storage.git.https.username` and `password`",
      ),
    ];
  if (protocol === "http" && (inAddress || password !== "") && !isLoopback(new URL(address.url).hostname))
    return [
      {
        severity: "warning",
        at: "storage.git.protocol",
        message: "`storage.git.protocol: http` sends the password in clear text",
        hint: "use https",
      },
    ];
  return [];
}
