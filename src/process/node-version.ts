/** The error message for a Node that is older than the program needs: what it lacks would be reported as a syntax error of ours. */
import manifest from "../../package.json" with { type: "json" };

/** The oldest Node that `package.json` allows, as in "20.19". */
export const oldestNode: string = manifest.engines.node.replace(">=", "");

/** Returns the message, without a full stop; undefined if `version`, as in "20.20.2", is new enough. */
export function nodeTooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split(".").map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `Node ${oldestNode} or later is needed, and this is Node ${version}: install a newer one (https://nodejs.org), or put it first in PATH`;
}
