/** Validates the settings of the store `bundle` against each other, and lists every problem. */
import { bundleAddressProblem } from "./bundle-address.ts";
import type { Problem } from "./node.ts";
import type { Config, SettingKey } from "./settings.ts";
import { unsendable } from "./signing-in.ts";

type Found = Omit<Problem, "place"> & { readonly at: SettingKey };

/** Returns the problems of a configuration whose store is a bundle. `isSound` tells whether a setting is absent or valid. */
export function bundleProblems(config: Config, isSound: (key: SettingKey) => boolean): readonly Found[] {
  if (config["storage.driver"] !== "bundle" || !isSound("storage.driver")) return [];
  return [
    ...ofPlace(config, isSound),
    ...ofTrust(config, isSound),
    ...unsendable(config, ["storage.bundle.username", "storage.bundle.password"]),
  ];
}

const wrong = (at: SettingKey, message: string, hint?: string): Found => ({
  severity: "error",
  at,
  message,
  ...(hint !== undefined && { hint }),
});

function ofPlace(config: Config, isSound: (key: SettingKey) => boolean): readonly Found[] {
  const { "storage.bundle.path": path, "storage.bundle.url": url } = config;
  if (!isSound("storage.bundle.path") || !isSound("storage.bundle.url")) return [];
  if (path !== "" && url !== "")
    return [
      wrong("storage.bundle.path", "`storage.bundle.path` and `storage.bundle.url` exclude each other", "a bundle comes from one place"),
    ];
  if (path === "" && url === "")
    return [
      wrong(
        "storage.driver",
        "`storage.driver: bundle` needs `storage.bundle.path` or `storage.bundle.url`",
        "`authz build` makes a bundle",
      ),
    ];
  const problem = url === "" ? undefined : bundleAddressProblem(url);
  return problem === undefined ? [] : [wrong("storage.bundle.url", `\`storage.bundle.url\` ${problem}`)];
}

function ofTrust(config: Config, isSound: (key: SettingKey) => boolean): readonly Found[] {
  const { "storage.bundle.publicKeys": publicKeys, "storage.bundle.allowUnsigned": allowUnsigned } = config;
  if (!isSound("storage.bundle.publicKeys") || !isSound("storage.bundle.allowUnsigned")) return [];
  if (publicKeys.length > 0 && allowUnsigned)
    return [
      wrong(
        "storage.bundle.allowUnsigned",
        "`storage.bundle.publicKeys` and `storage.bundle.allowUnsigned` exclude each other",
        "either a trusted key must have signed a bundle, or signatures are not checked",
      ),
    ];
  if (publicKeys.length === 0 && !allowUnsigned)
    return [
      wrong(
        "storage.driver",
        "`storage.driver: bundle` needs `storage.bundle.publicKeys`: no key is trusted to sign bundles",
        "`authz bundle keygen` makes a pair of keys; for development alone there is `storage.bundle.allowUnsigned: true`",
      ),
    ];
  return [];
}
