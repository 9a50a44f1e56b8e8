/** All that a compiled set is made from -> one digest: the same inputs compile to the same set. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { compilerVersion } from "../../compiler/pack.ts";
import type { Source } from "../../compiler/source.ts";
import { artefact } from "../artefact.ts";
import type { SchemaRules } from "../schemas/check.ts";
import type { StoreState } from "./store-state.ts";
import { openListDigest } from "../texts/list-digest.ts";
import { version } from "../version.ts";

/** The digest of inputs that are told one after the other: each text, or its bytes. */
export interface Inputs {
  /** All policies, in the order of their paths, and then all schemas. */
  readonly addSource: (described: Omit<Source, "text">, text: string | Uint8Array) => void;
  readonly addSchema: (path: string, text: string | Uint8Array) => void;
  readonly digest: () => string;
}

/** Begins with the program that would compile them, and with the settings that it would go by. */
export function openInputs(rules: SchemaRules | undefined, policies: number): Inputs {
  const { add, digest } = openListDigest();
  add(noteProgram());
  add(JSON.stringify(rules ?? null));
  add(`${policies}`);
  return {
    addSource: (described, text) => {
      add(JSON.stringify(described));
      add(text);
    },
    addSchema: (path, text) => {
      add(path);
      add(text);
    },
    digest,
  };
}

/** Returns the digest of what is in a store; schemas count where somebody looks at them. */
export function inputsOf({ sources, schemas }: StoreState, rules: SchemaRules | undefined): string {
  const inputs = openInputs(rules, sources.size);
  for (const [, { text, ...described }] of inOrder(sources)) inputs.addSource(described, text);
  if (rules !== undefined) for (const [path, text] of inOrder(schemas)) inputs.addSchema(path, text);
  return inputs.digest();
}

/** Returns entries in the order of their keys: that of a store depends on what was changed there before. */
function inOrder<V>(map: ReadonlyMap<string, V>): readonly (readonly [string, V])[] {
  const entries: (readonly [string, V])[] = [];
  map.forEach((value, key) => void entries.push([key, value]));
  return entries.sort(byKeys);
}

/** The order in which inputs are told. */
export const byKeys = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number => (left < right ? -1 : 1);

let program: string | undefined;

/**
 * Notes which program this is; to be called when it begins, because its file may be replaced while it runs. The script of
 * the thread that compiles holds the whole compiler, and the packages that it reads policies with.
 */
export function noteProgram(): string {
  const script = (): string =>
    createHash("sha256")
      .update(readFileSync(artefact("compile-script.cjs")))
      .digest("hex");
  return (program ??= [version, compilerVersion, process.version, script()].join("\n"));
}
