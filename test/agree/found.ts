/** Disagreements that were found once, kept as folders: policies that a person can read, and the call. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";
import type { Document } from "./document.ts";
import { digest } from "./judge.ts";
import type { Batch } from "./requests.ts";
import type { Finding } from "./shrink.ts";

const root = fileURLToPath(new URL("./found/", import.meta.url));

export interface Kept extends Finding {
  readonly name: string;
}

/** Reads all folders. */
export function keptFindings(): readonly Kept[] {
  if (!existsSync(root)) return [];
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
  return folders.map((name) => {
    const policies = join(root, name, "policies");
    // True edges: these files are what `keepFinding` wrote.
    const documents = readdirSync(policies)
      .toSorted()
      .map((file) => parse(readFileSync(join(policies, file), "utf8")) as Document);
    return { name, documents, batch: parse(readFileSync(join(root, name, "call.yaml"), "utf8")) as Batch };
  });
}

/** Writes a folder, named for what it holds so that the same finding is kept once, and returns its path. */
export function keepFinding({ documents, batch }: Finding): string {
  const folder = join(root, digest(JSON.stringify([documents, batch])).slice(0, 12));
  mkdirSync(join(folder, "policies"), { recursive: true });
  for (const [index, document] of documents.entries()) writeFileSync(join(folder, "policies", `policy_${index}.yaml`), stringify(document));
  writeFileSync(join(folder, "call.yaml"), stringify(batch));
  return folder;
}

/** Says a finding in full: the policies, the call, and what each side answered. */
export const printFinding = ({ documents, batch }: Finding, answers: unknown): string =>
  [...documents.map((document) => stringify(document)), stringify(batch), JSON.stringify(answers, undefined, 2)].join("---\n");
