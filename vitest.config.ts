/** How the tests are run. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/laws/**"],
    globalSetup: ["test/setup.ts"],
    pool: "threads",
    isolate: false,
    // No test measures time: what hangs is to end, and what is slow on a busy machine is not to fail.
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
});
