/** Validates the settings of the git store against each other, where that store is used. */
import { isLoopback } from "./bundle-address.ts";
import { branchProblem, parseGitAddress, subDirProblem } from "./git-address.ts";
import type { Problem } from "./node.ts";
import type { Config, SettingKey } from "./settings.ts";
import { unsendable } from "./signing-in.ts";

/** A problem, and the setting that it is reported at. */
export type GitProblem = Omit<Problem, "place"> & { readonly at: SettingKey };

const error = (at: SettingKey, message: string, hint?: string): GitProblem => ({
  severity: "error",
  at,
  message,
  ...(hint !== undefined && { hint }),
});

/** Settings that apply to certain protocols only. */
const ofProtocols: readonly (readonly [key: SettingKey, protocols: readonly string[]])[] = [
  ["storage.git.https.username", ["https", "http"]],
  ["storage.git.https.password", ["https", "http"]],
  ["storage.git.https.caCert", ["https"]],
  ["storage.git.ssh.privateKeyFile", ["ssh"]],
  ["storage.git.ssh.password", ["ssh"]],
];

/** Returns every problem. Settings that could not be read are not examined further. */
export function gitProblems(config: Config, isSound: (key: SettingKey) => boolean): readonly GitProblem[] {
  if (config["storage.driver"] !== "git" || !isSound("storage.driver")) return [];
  const { "storage.git.protocol": protocol, "storage.git.url": url } = config;
  const problems: GitProblem[] = [];
  if (isSound("storage.git.url") && isSound("storage.git.protocol")) {
    if (url === "") problems.push(error("storage.driver", "`storage.driver: git` needs `storage.git.url`", "name the repository"));
    else problems.push(...ofAddress(config));
    for (const [key, protocols] of ofProtocols)
      if (config[key] !== "" && !protocols.includes(protocol))
        problems.push({ severity: "warning", at: key, message: `\`${key}\` does nothing while \`storage.git.protocol\` is ${protocol}` });
  }
  if (protocol === "https" || protocol === "http")
    problems.push(...unsendable(config, ["storage.git.https.username", "storage.git.https.password"]));
  const branch = isSound("storage.git.branch") ? branchProblem(config["storage.git.branch"]) : undefined;
  if (branch !== undefined) problems.push(error("storage.git.branch", branch));
  const folder = isSound("storage.git.subDir") ? subDirProblem(config["storage.git.subDir"]) : undefined;
  if (folder !== undefined) problems.push(error("storage.git.subDir", folder));
  if (isSound("storage.git.operationTimeout") && config["storage.git.operationTimeout"] <= 0)
    problems.push(error("storage.git.operationTimeout", "`storage.git.operationTimeout` must be greater than zero", "60s is usual"));
  if (config["storage.git.ssh.password"] !== "" && config["storage.git.ssh.privateKeyFile"] === "" && protocol === "ssh")
    problems.push(
      error(
        "storage.git.ssh.password",
        "`storage.git.ssh.password` needs `storage.git.ssh.privateKeyFile`: it is what that key is encrypted with",
      ),
    );
  return problems;
}

function ofAddress(config: Config): readonly GitProblem[] {
  const { "storage.git.protocol": protocol, "storage.git.https.username": username, "storage.git.https.password": password } = config;
  const address = parseGitAddress(protocol, config["storage.git.url"]);
  if ("message" in address) return [error("storage.git.url", address.message, address.hint)];
  if (address.kind !== "http") return [];
  const inAddress = address.username !== "" || address.password !== "";
  if (inAddress && (username !== "" || password !== ""))
    return [
      error(
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
