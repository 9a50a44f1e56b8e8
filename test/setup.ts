/** Builds the program once before the tests, because some of them start it. */
import { execSync } from "node:child_process";

export default function setup(): void {
  execSync("npm run -s build", { stdio: "inherit" });
}
