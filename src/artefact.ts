/** Locates built files: beside the program when it is built itself, in `dist/` when it runs from its sources. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RealmTexts } from "../runtime/sandbox/realm.ts";
import { readCodeCache } from "./code-cache.ts";

const here = dirname(fileURLToPath(import.meta.url));

/** Returns the path of a built file such as `guest.js`. */
export function artefact(name: string): string {
  return basename(here) === "dist" ? join(here, name) : join(here, "..", "dist", name);
}

/** Reads the two scripts of a sandbox, our guest and the lockdown that runs before it, and their code caches. */
export function realmTexts(): RealmTexts {
  const guest = readFileSync(artefact("guest.js"), "utf8");
  const lockdown = readFileSync(createRequire(import.meta.url).resolve("ses"), "utf8");
  const code = { guest: readCodeCache(artefact("guest.code"), guest), lockdown: readCodeCache(artefact("lockdown.code"), lockdown) };
  return { guest, lockdown, code };
}
