/** All that a compiled set is made from -> one digest: the same inputs compile to the same set. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { compilerVersion } from "../../compiler/pack.ts";
import type { Source } from "../../compiler/source.ts";
import { artefact } from "../artefact.ts";
import { digest } from "../texts/digest.ts";
import type { SchemaRules } from "../schemas/check.ts";
import type { StoreState } from "./store-state.ts";
import { version } from "../version.ts";

/** Returns the digest of what is in a store, of the program that would compile it, and of the settings that it would go by. */
export function inputsOf({ sources, schemas }: StoreState, rules: SchemaRules | undefined): string {
  const hash = createHash("sha256");
  // Each text with its length, so that no two lists say the same.
  const add = (text: string): void => void hash.update(`${text.length} `).update(text);
  add(noteProgram());
  add(JSON.stringify(rules ?? null));
  add(`${sources.size}`);
  sources.forEach(({ path, text, attributes, ...rest }: Source) => {
    add(path);
    add(text);
    add(JSON.stringify([attributes, rest]));
  });
  if (rules !== undefined)
    schemas.forEach((text, path) => {
      add(path);
      add(text);
    });
  return hash.digest("hex");
}

let program: string | undefined;

/**
 * Notes which program this is; to be called when it begins, because its file may be replaced while it runs. The script of
 * the thread that compiles holds the whole compiler, and the packages that it reads policies with.
 */
export function noteProgram(): string {
  const script = (): string => digest(readFileSync(artefact("compile-script.cjs"), "latin1"));
  return (program ??= [version, compilerVersion, process.version, script()].join("\n"));
}
