/** Validates the names and passwords that are sent to other servers by HTTP basic authentication. */
import type { SettingProblem } from "./setting-problem.ts";
import type { Config } from "./settings.ts";

type CredentialKey = "storage.bundle.username" | "storage.bundle.password" | "storage.git.https.username" | "storage.git.https.password";

// oxlint-disable-next-line no-control-regex -- it is these that no header may hold
const controlCharacter = /[\0-\x1f\x7f]/;

/** Returns a problem for each value that an HTTP header cannot hold. Values are not quoted. */
export const credentialProblems = (config: Config, keys: readonly CredentialKey[]): readonly SettingProblem[] =>
  keys
    .filter((key) => controlCharacter.test(config[key]))
    .map((key) => ({
      severity: "error",
      at: key,
      message: `\`${key}\` holds a line break or another control character, which cannot be sent to a server`,
      hint: "what was read from a file may end with the line break of that file: leave it out",
    }));
