/** Long runs of the randomised tests: `npm run fuzz -- <name>`. */
import { spawnSync } from "node:child_process";

const bundle = (file, out) => [
  "npx",
  [
    "esbuild",
    file,
    "--bundle",
    "--platform=node",
    "--format=esm",
    "--target=node20",
    "--packages=external",
    "--log-level=warning",
    `--outfile=${out}`,
  ],
];
const build = ["npm", ["run", "-s", "build"]];
const vitest = (file) => [["npx", ["vitest", "run", "--testTimeout=3600000", file]]];

const runs = {
  agree: { steps: vitest("test/agree/agree.test.ts"), env: { AUTHZ_AGREE_PAIRS: "260000" } },
  sequences: { steps: vitest("test/agree/sequences.test.ts"), env: { AUTHZ_SEQUENCES: "2000" } },
  ways: { steps: [build, ...vitest("test/ways/ways.test.ts")], env: { AUTHZ_WAYS_ROUNDS: "100" } },
  faults: { steps: vitest("test/agree/faults.test.ts"), env: { AUTHZ_FAULT_PAIRS: "20000" } },
  cel: {
    steps: [bundle("test/peer/main.ts", "dist/fuzz-cel.js"), ["node", ["dist/fuzz-cel.js"]]],
    env: { AUTHZ_CEL_EXPRESSIONS: "1000000" },
  },
  policy: {
    steps: [build, bundle("test/peer-policies/main.ts", "dist/fuzz-policy.js"), ["node", ["dist/fuzz-policy.js"]]],
    env: { AUTHZ_POLICY_DECISIONS: "200000" },
  },
  suites: {
    steps: [build, bundle("test/peer-suites/main.ts", "dist/fuzz-suites.js"), ["node", ["dist/fuzz-suites.js"]]],
    env: { AUTHZ_SUITE_ACTIONS: "5000" },
  },
  schemas: {
    steps: [bundle("test/peer-schemas/main.ts", "dist/fuzz-schemas.js"), ["node", ["dist/fuzz-schemas.js"]]],
    env: { AUTHZ_SCHEMA_VALUES: "20000" },
  },
  workloads: {
    steps: [build, bundle("test/peer-policies/workloads.ts", "dist/fuzz-workloads.js"), ["node", ["dist/fuzz-workloads.js"]]],
    env: {},
  },
  bombs: { steps: vitest("test/attacks/exhaust.test.ts"), env: { AUTHZ_BOMB_TIMES: "1" } },
  store: {
    steps: [build, bundle("test/chaos/main.ts", "dist/fuzz-store.js"), ["node", ["dist/fuzz-store.js"]]],
    env: { AUTHZ_CHAOS_SECONDS: "1800" },
  },
  injection: {
    steps: [build, bundle("test/injection/main.ts", "dist/fuzz-injection.js"), ["node", ["dist/fuzz-injection.js"]]],
    env: { AUTHZ_INJECTION_STRINGS: "1000000" },
  },
  frames: {
    steps: [build, bundle("test/frames/main.ts", "dist/fuzz/frames.js"), ["node", ["dist/fuzz/frames.js"]]],
    env: { AUTHZ_FRAMES_SECONDS: "1800" },
  },
  mutants: {
    steps: [build, bundle("test/mutants/main.ts", "dist/fuzz/mutants.js"), ["node", ["dist/fuzz/mutants.js"]]],
    env: { AUTHZ_MUTANTS: "100000" },
  },
};

const name = process.argv[2] ?? "";
if (!Object.hasOwn(runs, name)) {
  console.error(`fuzz: no run named "${name}"; there are: ${Object.keys(runs).join(", ")}`);
  process.exit(2);
}
const { steps, env } = runs[name];
for (const [program, args] of steps) {
  const { status } = spawnSync(program, args, { stdio: "inherit", env: { ...env, ...process.env } });
  if (status !== 0) process.exit(status ?? 1);
}
