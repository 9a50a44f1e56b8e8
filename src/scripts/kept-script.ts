/** A built script, begun with what the engine has compiled of it before: a start with that compiles next to nothing. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import vm from "node:vm";
import { artefact } from "../artefact.ts";
import type * as compileScript from "./compile-script.ts";
import { keepCode, keptCode } from "../kept-code.ts";
import type * as serverScript from "./server-script.ts";

/** The scripts that a build makes (`build-scripts.mjs`). */
interface Scripts {
  readonly "server-script": typeof serverScript;
  readonly "compile-script": typeof compileScript;
}

/** A script that has run once. */
export interface KeptScript<Exports> {
  readonly exports: Exports;
  /** Keeps what has been compiled of it so far, for the next start. */
  readonly keep: () => void;
}

/** Runs `dist/<name>.cjs`, a part of this program as the rest of `dist` is. Code of another engine, or of other flags, is passed over by the engine. */
export function loadScript<Name extends keyof Scripts>(name: Name): KeptScript<Scripts[Name]> {
  const [file, codeFile] = [artefact(`${name}.cjs`), artefact(`${name}.code`)];
  const bytes = readFileSync(file);
  // It is ASCII: half the memory, and nothing to decode. It is a function as it stands there: put around it here, there would be a copy.
  const script = new vm.Script(bytes.toString("latin1"), {
    filename: `authz:${name}.cjs`, // the kept code holds it, wherever it is installed
    cachedData: keptCode(codeFile, bytes),
  });
  // True edges: the lines above say what the script is, and the build what it exports.
  const module = { exports: {} as Scripts[Name] };
  const run = script.runInThisContext() as (...given: readonly unknown[]) => void;
  run(module.exports, createRequire(file), module, file, (name: string) => import(name));
  return { exports: module.exports, keep: () => keepCode(codeFile, bytes, script.createCachedData()) };
}
