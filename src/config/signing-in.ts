/** Validates the names and passwords that are sent to other servers by HTTP basic authentication. */
import type { Problem } from "./node.ts";
import type { Config, SettingKey } from "./settings.ts";

/** A problem, and the setting that it is reported at. */
type Found = Omit<Problem, "place"> & { readonly at: SettingKey };

type TextKey = "storage.bundle.username" | "storage.bundle.password" | "storage.git.https.username" | "storage.git.https.password";

// oxlint-disable-next-line no-control-regex -- it is these that no header may hold
const control = /[\0-\x1f\x7f]/;

/** Returns a problem for each value that an HTTP header cannot hold. Values are not quoted. */
export const unsendable = (config: Config, keys: readonly TextKey[]): readonly Found[] =>
  keys
    .filter((key) => control.test(config[key]))
    .map((key) => ({
      severity: "error",
      at: key,
      message: `\`${key}\` holds a line break or another control character, which cannot be sent to a server`,
      hint: "what was read from a file may end with the line break of that file: leave it out",
    }));
