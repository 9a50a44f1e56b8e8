/** Reads the golden folders of decisions: policies as a store holds them, and what they must answer. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { Source } from "../../compiler/source.ts";
import type { CheckInput } from "../../runtime/decide/input.ts";
import type { Effect } from "../../runtime/decide/decision.ts";

export interface Folder {
  readonly name: string;
  readonly policies: string;
  readonly sources: readonly Source[];
  readonly cases: readonly Case[];
}

/** One sentence, one request, one answer. */
export interface Case {
  readonly it: string;
  readonly request: CheckInput;
  readonly decision: {
    readonly actions: {
      readonly [action: string]: Effect | { readonly effect: Effect; readonly matchedPolicy?: string; readonly matchedScope?: string };
    };
    readonly effectiveDerivedRoles?: readonly string[];
    /** `kind` is how the message begins; the sentence after it is free. */
    readonly evaluationErrors?: readonly { readonly expression: string; readonly kind: string }[];
  };
  /** The decision (docs/decisions.md) by which we answer otherwise than the reference implementation 0.51.0. */
  readonly differs?: string;
}

const root = fileURLToPath(new URL("../../golden/decide/", import.meta.url));

/** Reads every folder of `golden/decide`. */
export const decideFolders = (): readonly Folder[] =>
  readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => readFolder(entry.name));

function readFolder(name: string): Folder {
  const policies = join(root, name, "policies");
  const files = readdirSync(policies, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return {
    name,
    policies,
    sources: files.map((file) => {
      const path = join(file.parentPath, file.name);
      return { path: relative(policies, path).split(sep).join("/"), text: readFileSync(path, "utf8") };
    }),
    cases: readCases(name, parse(readFileSync(join(root, name, "cases.yaml"), "utf8"))),
  };
}

/** Checks that a case says what it must and nothing that nobody compares: a misspelt expectation proves nothing. */
function readCases(name: string, content: unknown): readonly Case[] {
  if (!Array.isArray(content) || content.length === 0) throw new Error(`golden/decide/${name}/cases.yaml: a list of cases is due`);
  for (const [index, each] of content.entries()) {
    const where = `golden/decide/${name}/cases.yaml, case ${index + 1}`;
    only(where, each, ["it", "request", "decision", "differs"]);
    only(where, each.request, ["principal", "resource", "actions", "auxData"]);
    only(where, each.decision, ["actions", "effectiveDerivedRoles", "evaluationErrors"]);
    const wanted = Object.keys(each.decision.actions).toSorted().join();
    if (wanted !== [...each.request.actions].toSorted().join())
      throw new Error(`${where}: the decision speaks of other actions than the request`);
  }
  // A true edge: what the reader above has looked through is what an author of cases may write.
  return content as readonly Case[];
}

function only(where: string, part: unknown, keys: readonly string[]): void {
  if (typeof part !== "object" || part === null) throw new Error(`${where}: something is missing`);
  const unknown = Object.keys(part).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw new Error(`${where}: \`${unknown}\` means nothing here`);
}
