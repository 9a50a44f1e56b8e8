/** Computes the digest of all inputs of a compiled set: the same inputs compile to the same set. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { compilerVersion } from "../../compiler/pack.ts";
import type { Source } from "../../compiler/source.ts";
import { artefact } from "../artefact.ts";
import type { SchemaRules } from "../schemas/check.ts";
import type { StoreState } from "./store-state.ts";
import { openListDigest } from "../texts/list-digest.ts";
import { version } from "../version.ts";

/** The digest of inputs that are added one by one, as strings or bytes. */
export interface InputsDigest {
  /** All policies, ordered by path, and then all schemas. */
  readonly addSource: (described: Omit<Source, "text">, text: string | Uint8Array) => void;
  readonly addSchema: (path: string, text: string | Uint8Array) => void;
  readonly digest: () => string;
}

/** Starts with the identity of the compiling program, and the rules for schemas. */
export function openInputsDigest(rules: SchemaRules | undefined, policies: number): InputsDigest {
  const { add, digest } = openListDigest();
  add(programIdentity());
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

/** Returns the digest of a store's contents; schemas are included only if attributes are validated. */
export function digestInputs({ sources, schemas }: StoreState, rules: SchemaRules | undefined): string {
  const inputs = openInputsDigest(rules, sources.size);
  for (const [, { text, ...described }] of inOrder(sources)) inputs.addSource(described, text);
  if (rules !== undefined) for (const [path, text] of inOrder(schemas)) inputs.addSchema(path, text);
  return inputs.digest();
}

/** Returns entries ordered by key, because a store's order depends on earlier changes. */
function inOrder<V>(map: ReadonlyMap<string, V>): readonly (readonly [string, V])[] {
  const entries: (readonly [string, V])[] = [];
  map.forEach((value, key) => void entries.push([key, value]));
  return entries.sort(byKey);
}

/** Compares entries by key: the order of inputs. */
export const byKey = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number => (left < right ? -1 : 1);

let program: string | undefined;

/**
 * Returns the identity of this program. It must be called at the start, because the program's file may be replaced while it runs. The
 * compile script contains the whole compiler with its packages.
 */
export function programIdentity(): string {
  const script = (): string =>
    createHash("sha256")
      .update(readFileSync(artefact("compile-script.cjs")))
      .digest("hex");
  return (program ??= [version, compilerVersion, process.version, script()].join("\n"));
}
