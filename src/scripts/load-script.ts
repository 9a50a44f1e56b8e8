/** Runs a built script with V8's code cache, so that a start compiles next to nothing. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import vm from "node:vm";
import { artefact } from "../artefact.ts";
import type * as authoringScript from "./authoring-script.ts";
import type * as compileScript from "./compile-script.ts";
import { writeCodeCache, readCodeCache } from "../code-cache.ts";
import type * as serverScript from "./server-script.ts";

/** The scripts that the build makes (`build-scripts.mjs`). */
interface Scripts {
  readonly "server-script": typeof serverScript;
  readonly "compile-script": typeof compileScript;
  readonly "authoring-script": typeof authoringScript;
}

/** A script that has been run. */
export interface LoadedScript<Exports> {
  readonly exports: Exports;
  /** Writes the code cache of what has been compiled so far, for the next start. */
  readonly writeCodeCache: () => void;
}

/** Runs `dist/<name>.cjs`. V8 ignores a code cache of another version or with other flags. */
export function loadScript<Name extends keyof Scripts>(name: Name): LoadedScript<Scripts[Name]> {
  const [file, codeFile] = [artefact(`${name}.cjs`), artefact(`${name}.code`)];
  const bytes = readFileSync(file);
  // The script is ASCII, so latin1 halves the memory and needs no decoding. It already contains the wrapper function, because adding it
  // here would copy the script.
  const script = new vm.Script(bytes.toString("latin1"), {
    filename: `authz:${name}.cjs`, // the code cache contains this name, so it must not depend on the path
    cachedData: readCodeCache(codeFile, bytes),
  });
  // These casts are safe: the script has this wrapper, and the build defines its exports.
  const module = { exports: {} as Scripts[Name] };
  const run = script.runInThisContext() as (...given: readonly unknown[]) => void;
  run(module.exports, createRequire(file), module, file, (name: string) => import(name));
  return { exports: module.exports, writeCodeCache: () => writeCodeCache(codeFile, bytes, script.createCachedData()) };
}
