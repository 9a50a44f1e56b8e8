/** What is running: the version that every reply and log line means. */
import manifest from "../package.json" with { type: "json" };

/** The version, as `package.json` has it. */
export const version: string = manifest.version;
