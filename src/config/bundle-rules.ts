/** Validates the settings of the store `bundle` against each other, and lists every problem. */
import { bundleAddressProblem } from "./bundle-address.ts";
import { settingError, type SettingProblem } from "./setting-problem.ts";
import type { Config, SettingKey } from "./settings.ts";
import { credentialProblems } from "./basic-auth.ts";

/** Returns the problems of a configuration whose store is a bundle. `isValid` tells whether a setting is absent or valid. */
export function bundleProblems(config: Config, isValid: (key: SettingKey) => boolean): readonly SettingProblem[] {
  if (config["storage.driver"] !== "bundle" || !isValid("storage.driver")) return [];
  return [
    ...locationProblems(config, isValid),
    ...trustProblems(config, isValid),
    ...credentialProblems(config, ["storage.bundle.username", "storage.bundle.password"]),
  ];
}

function locationProblems(config: Config, isValid: (key: SettingKey) => boolean): readonly SettingProblem[] {
  const { "storage.bundle.path": path, "storage.bundle.url": url } = config;
  if (!isValid("storage.bundle.path") || !isValid("storage.bundle.url")) return [];
  if (path !== "" && url !== "")
    return [
      settingError(
        "storage.bundle.path",
        "`storage.bundle.path` and `storage.bundle.url` exclude each other",
        "a bundle comes from one place",
      ),
    ];
  if (path === "" && url === "")
    return [
      settingError(
        "storage.driver",
        "`storage.driver: bundle` needs `storage.bundle.path` or `storage.bundle.url`",
        "`authz build` makes a bundle",
      ),
    ];
  const problem = url === "" ? undefined : bundleAddressProblem(url);
  return problem === undefined ? [] : [settingError("storage.bundle.url", `\`storage.bundle.url\` ${problem}`)];
}

function trustProblems(config: Config, isValid: (key: SettingKey) => boolean): readonly SettingProblem[] {
  const { "storage.bundle.publicKeys": publicKeys, "storage.bundle.allowUnsigned": allowUnsigned } = config;
  if (!isValid("storage.bundle.publicKeys") || !isValid("storage.bundle.allowUnsigned")) return [];
  if (publicKeys.length > 0 && allowUnsigned)
    return [
      settingError(
        "storage.bundle.allowUnsigned",
        "`storage.bundle.publicKeys` and `storage.bundle.allowUnsigned` exclude each other",
        "either a trusted key must have signed a bundle, or signatures are not checked",
      ),
    ];
  if (publicKeys.length === 0 && !allowUnsigned)
    return [
      settingError(
        "storage.driver",
        "`storage.driver: bundle` needs `storage.bundle.publicKeys`: no key is trusted to sign bundles",
        "`authz bundle keygen` makes a pair of keys; for development alone there is `storage.bundle.allowUnsigned: true`",
      ),
    ];
  return [];
}
