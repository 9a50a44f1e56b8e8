/** How the laws of the house are run: by `npm run check`, alone. */
import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["test/laws/*.test.ts"], testTimeout: 120_000 } });
