/** `npm run golden` compares the golden folders; `npm run golden -- --accept` rewrites what the compiler prints, never what a policy means. */
import { spawnSync } from "node:child_process";

const accept = process.argv.includes("--accept");
const { status } = spawnSync("npx", ["vitest", "run", "test/golden"], {
  stdio: "inherit",
  env: { ...process.env, ...(accept && { AUTHZ_ACCEPT: "1" }) },
});
process.exit(status ?? 1);
