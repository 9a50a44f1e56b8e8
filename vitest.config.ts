/** How the tests are run. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/laws/**"],
    globalSetup: ["test/setup.ts"],
    pool: "threads",
    isolate: false,
    testTimeout: 30_000,
  },
});
