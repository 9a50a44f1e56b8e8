/** How the tests are run. */
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/laws/**"],
    globalSetup: ["test/setup.ts"],
    // Processes, not threads: ending a thread in the midst of a native call can abort them all (seen with Node 20's HTTP client).
    pool: "forks",
    isolate: false,
    // Much of a run is waiting for servers, files and clocks.
    maxWorkers: availableParallelism() + 1,
    // What these end is a hang, not a slow machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
