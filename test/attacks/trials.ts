/** The watchdog as the server has it, with the realm of its process built without the gate. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { Trials } from "../../src/trial/trial.ts";
import { ungatedTexts } from "./realms.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Builds the watchdog into a folder of its own, beside a guest without a gate, and opens it. */
export async function openUngatedTrials(): Promise<Trials> {
  const folder = mkdtempSync(join(tmpdir(), "authz-attacks-"));
  const dist = join(folder, "dist");
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  await build({
    entryPoints: [
      { in: join(root, "src/trial-worker.ts"), out: "trial-worker" },
      { in: join(root, "src/trial/trial.ts"), out: "trial" },
    ],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outdir: dist,
  });
  const { guest } = await ungatedTexts();
  writeFileSync(join(dist, "guest.js"), guest);
  // A true edge: what was built from src/trial/trial.ts.
  const { openTrials } = (await import(pathToFileURL(join(dist, "trial.js")).href)) as { readonly openTrials: () => Trials };
  const trials = openTrials();
  return {
    ...trials,
    close() {
      trials.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
