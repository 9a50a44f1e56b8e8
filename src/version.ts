/** The version of the program, as replies and log lines name it. */
import manifest from "../package.json" with { type: "json" };

/** The version, as `package.json` has it. */
export const version: string = manifest.version;
