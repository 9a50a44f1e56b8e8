/** Reads the golden folders of decisions: policies and schemas as a store holds them, and what they must answer. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { Source } from "../../compiler/source.ts";
import type { JsonObject } from "../../runtime/cel/value.ts";
import type { Effect, Output, ValidationError } from "../../runtime/decide/decision.ts";
import type { AuxData, Principal, Resource } from "../../runtime/decide/input.ts";
import { belowSchemas, isSchemaPath } from "../../src/store/schema-paths.ts";

export interface Folder {
  readonly name: string;
  readonly policies: string;
  readonly sources: readonly Source[];
  /** Path below `_schemas` -> text. */
  readonly schemas: ReadonlyMap<string, string>;
  readonly cases: readonly Case[];
}

/** One sentence, one request, one answer for each of its resources. */
export interface Case {
  readonly it: string;
  readonly settings: Settings;
  readonly principal: Principal;
  readonly asked: readonly Asked[];
  /** What is known of the request's tokens once they are verified. */
  readonly auxData?: AuxData;
  /** What the tokens say, where that is not what is known of them afterwards. */
  readonly tokens?: Tokens;
  /** The decision, or the part of semantics 11, by which we answer otherwise than the reference implementation 0.51.0, and how. */
  readonly differs?: string;
}

/** What a case sets otherwise than a server that nobody configured. */
export interface Settings {
  readonly defaultPolicyVersion?: string;
  readonly defaultScope?: string;
  readonly lenientScopeSearch?: boolean;
  readonly strictEvaluation?: boolean;
  readonly schemaEnforcement?: "none" | "warn" | "reject";
  readonly globals?: JsonObject;
  /** RFC 3339. A case that sets it is not asked over the wire, where nobody can. */
  readonly now?: string;
}

export interface Asked {
  readonly resource: Resource;
  readonly actions: readonly string[];
  readonly decision: Expected;
}

/** Claims as JSON, of one token or of several by name. */
export type Tokens = { readonly jwt: JsonObject } | { readonly jwts: { readonly [name: string]: JsonObject } };

/** What must be answered; a part that is not there is not compared. */
export interface Expected {
  readonly actions: {
    readonly [action: string]: Effect | { readonly effect: Effect; readonly matchedPolicy?: string; readonly matchedScope?: string };
  };
  readonly effectiveDerivedRoles?: readonly string[];
  /** In any order, each as often as it comes; `error` is how the message begins. */
  readonly outputs?: readonly Output[];
  /** The same in their order. */
  readonly outputsInOrder?: readonly Output[];
  /** In any order. */
  readonly validationErrors?: readonly Omit<ValidationError, "message">[];
  /** `kind` is how the message begins; the sentence after it is free. Not on the wire. */
  readonly evaluationErrors?: readonly { readonly expression: string; readonly kind: string }[];
  /** Their keys, or their keys and what is said of their sources. Not on the wire. */
  readonly effectivePolicies?: readonly string[] | { readonly [key: string]: JsonObject };
}

const root = fileURLToPath(new URL("../../golden/decide/", import.meta.url));

/** Reads every folder of `golden/decide`. */
export const decideFolders = (): readonly Folder[] =>
  readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => readFolder(entry.name));

function readFolder(name: string): Folder {
  const policies = join(root, name, "policies");
  const files = readdirSync(policies, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((file) => relative(policies, join(file.parentPath, file.name)).split(sep).join("/"))
    .map((path) => ({ path, text: readFileSync(join(policies, path), "utf8") }));
  return {
    name,
    policies,
    sources: files
      .filter(({ path }) => !isSchemaPath(path))
      .map((source) => ({ ...source, attributes: { driver: "disk", source: source.path } })),
    schemas: new Map(files.filter(({ path }) => isSchemaPath(path)).map(({ path, text }) => [belowSchemas(path), text])),
    cases: readCases(`golden/decide/${name}/cases.yaml`, parse(readFileSync(join(root, name, "cases.yaml"), "utf8"))),
  };
}

/** Checks that a case says what it must and nothing that nobody compares: a misspelt expectation proves nothing. */
function readCases(file: string, content: unknown): readonly Case[] {
  if (!Array.isArray(content) || content.length === 0) throw new Error(`${file}: a list of cases is due`);
  return content.map((each, index) => readCase(`${file}, case ${index + 1}`, each));
}

function readCase(where: string, written: WrittenCase): Case {
  only(where, written, ["it", "settings", "request", "decision", "decisions", "differs"]);
  only(where, written.request, ["principal", "resource", "actions", "resources", "auxData", "tokens"]);
  only(where, written.settings ?? {}, settings);
  const { it, differs, request } = written;
  if (differs !== undefined && !/^(?:D\d+(?:\.\d+)?|11(?:\.1)?): ./.test(differs))
    throw new Error(`${where}: \`differs\` names a decision, or part 11, and says how: \`D33: the reference ...\``);
  const decisions = written.decisions ?? [written.decision];
  const asked = request.resources ?? [request];
  if (decisions.length !== asked.length) throw new Error(`${where}: one decision is due for each resource`);
  return {
    it,
    settings: written.settings ?? {},
    principal: request.principal,
    asked: decisions.map((decision, index) => readAsked(where, asked[index] ?? request, decision)),
    ...(request.auxData !== undefined && { auxData: request.auxData }),
    ...(request.tokens !== undefined && { tokens: request.tokens }),
    ...(differs !== undefined && { differs }),
  };
}

function readAsked(where: string, { resource, actions }: Omit<Asked, "decision">, decision: Expected): Asked {
  only(where, decision, expectations);
  if (Object.keys(decision.actions).toSorted().join() !== actions.toSorted().join())
    throw new Error(`${where}: the decision speaks of other actions than the request`);
  return { resource, actions, decision };
}

/** As an author writes it: whatever the reader above has looked through; not all of it need be there. */
interface WrittenCase {
  readonly it: string;
  readonly settings?: Settings;
  readonly request: Pick<Case, "principal" | "auxData" | "tokens"> & {
    readonly resource: Resource;
    readonly actions: readonly string[];
    /** Several resources, in place of one. */
    readonly resources?: readonly Omit<Asked, "decision">[];
  };
  readonly decision: Expected;
  /** One for each of several resources. */
  readonly decisions?: readonly Expected[];
  readonly differs?: string;
}

const settings = ["defaultPolicyVersion", "defaultScope", "lenientScopeSearch", "strictEvaluation", "schemaEnforcement", "globals", "now"];

const expectations = [
  ...["actions", "effectiveDerivedRoles", "outputs", "outputsInOrder", "validationErrors"],
  ...["evaluationErrors", "effectivePolicies"],
];

function only(where: string, part: unknown, keys: readonly string[]): void {
  if (typeof part !== "object" || part === null) throw new Error(`${where}: something is missing`);
  const unknown = Object.keys(part).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw new Error(`${where}: \`${unknown}\` means nothing here`);
}
