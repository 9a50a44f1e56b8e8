/**
 * Writes the files that processes and the compile thread begin with, each one file that imports no other before it runs: Node reads the
 * files of a static import at the same time, and what it cannot open ends the process with a stack trace, before anything of ours can
 * report it in one sentence.
 */
import { build } from "esbuild";

/** The command line stays with its chunks: it is loaded only for its own commands. */
const builtCommandLine = {
  name: "the built command line",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/cli\/index\.ts$/ }, () => ({ path: "./cli.js", external: true }));
  },
};

await build({
  entryPoints: ["src/main.ts", "src/ctl.ts", "src/server-worker.ts", "src/compile-worker.ts"],
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  outdir: "dist",
  plugins: [builtCommandLine],
  logLevel: "warning",
});
