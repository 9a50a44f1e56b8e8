/** Long runs of the randomised tests: `npm run fuzz -- <name>`. */
import { spawnSync } from "node:child_process";

const runs = {
  agree: { file: "test/agree/agree.test.ts", env: { AUTHZ_AGREE_PAIRS: "200000" } },
  faults: { file: "test/agree/faults.test.ts", env: { AUTHZ_FAULT_PAIRS: "20000" } },
};

const name = process.argv[2] ?? "";
if (!Object.hasOwn(runs, name)) {
  console.error(`fuzz: no run named "${name}"; there are: ${Object.keys(runs).join(", ")}`);
  process.exit(2);
}
const { file, env } = runs[name];
const { status } = spawnSync("npx", ["vitest", "run", "--testTimeout=3600000", file], {
  stdio: "inherit",
  env: { ...env, ...process.env },
});
process.exit(status ?? 1);
