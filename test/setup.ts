/** Builds the program once before the tests, because some of them start it, and gives them a folder for all that they write, which goes when they end. */
import { execSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function setup(): () => void {
  execSync("npm run -s build", { stdio: "inherit" });
  // The sockets that are made in it leave little room for its name.
  const folder = mkdtempSync(join(tmpdir(), "authz-"));
  process.env["TMPDIR"] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
