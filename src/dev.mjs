/** Builds and serves the tour; `npm run dev` runs it again whenever a source changes. */
import { execSync } from "node:child_process";

execSync("npm run -s build", { stdio: "inherit" });
process.argv.push("server", "--set", "storage.disk.directory=golden/tour/policies", "--set", "storage.disk.watchForChanges=true");
await import("../dist/main.js");
