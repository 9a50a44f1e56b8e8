/** The version of the program, as in replies and log lines. */
import manifest from "../package.json" with { type: "json" };

/** The version in `package.json`. */
export const version: string = manifest.version;
