/** Finds the reference's name where it has a meaning: as the value of `apiVersion`, and as the scheme of schema URLs (D19). */
import type { Diagnostic } from "../../compiler/diagnostic.ts";
import type { MapEntry, MapNode, YamlNode } from "../../compiler/yaml/node.ts";
import { parseYaml } from "../../compiler/yaml/parse.ts";
import type { Edit } from "./edit.ts";
import { schemaUrls } from "./schema-words.ts";

/** The edits for one file. */
export interface FoundWords {
  readonly edits: readonly Edit[];
  /** Why the file could not be parsed; there are no edits then. */
  readonly problem?: Diagnostic;
}

/** The two words: the value, how it may be written, and its replacement. */
const words = {
  apiVersion: {
    is: (value: string): boolean => value === "api.cerbos.dev/v1",
    written: /(?<=api\.)cerbos(?=\.dev\\?\/v1)/,
    neutral: (): string => "api.authz.dev/v1",
  },
  schemaUrl: {
    is: (value: string): boolean => value.startsWith("cerbos:///"),
    written: /cerbos(?=:(?:\\?\/){3})/,
    neutral: (value: string): string => value.replace("cerbos", "authz"),
  },
} as const;

type Word = keyof typeof words;

/** Finds the words of one file. */
export function findWords(path: string, text: string): FoundWords {
  // Most files of a migrated project do not contain the word, and need not be parsed.
  if (!/cerbos/.test(text)) return { edits: [] };
  const problems: Diagnostic[] = [];
  const documents = parseYaml({ path, text }, (diagnostic) => void problems.push(diagnostic));
  const [problem] = problems;
  if (problem !== undefined) return { edits: [], problem };
  const isSchema = path.split("/").includes("_schemas") && /\.json$/i.test(path);
  const found = documents.flatMap((document) => (isSchema ? urls(schemaUrls(document)) : policyWords(document)));
  return { edits: editsFor(found, text) };
}

/** A value where a word has a meaning. */
interface Place {
  readonly word: Word;
  readonly entry: MapEntry;
}

/** Returns the words of a policy; documents of other kinds have none of these fields. */
function policyWords(document: MapNode): readonly Place[] {
  const versions = entriesOf(document, "apiVersion", "api_version").map((entry) => ({ word: "apiVersion", entry }) as const);
  const references = entriesOf(document, "resourcePolicy", "resource_policy")
    .flatMap(({ value }) => entriesOf(value, "schemas"))
    .flatMap(({ value }) => entriesOf(value, "principalSchema", "principal_schema", "resourceSchema", "resource_schema"))
    .flatMap(({ value }) => entriesOf(value, "ref"));
  return [...versions, ...urls(references)];
}

const urls = (entries: readonly MapEntry[]): readonly Place[] => entries.map((entry) => ({ word: "schemaUrl", entry }));

const entriesOf = (node: YamlNode, ...names: readonly string[]): readonly MapEntry[] =>
  node.kind === "map" ? node.entries.filter(({ key }) => names.includes(key.text)) : [];

function editsFor(places: readonly Place[], text: string): readonly Edit[] {
  const meant = places.filter(({ word, entry: { value } }) => value.kind === "scalar" && words[word].is(value.text));
  const direct = new Map(
    meant
      .filter(({ entry }) => !isAlias(entry))
      .flatMap(({ word, entry }) => {
        const edit = editWithin(word, entry, text);
        return edit === undefined ? [] : [[entry.value.span.start, edit] as const];
      }),
  );
  // The value that an alias refers to may also be used as a description, so the alias is replaced, and its anchor stays; unless the
  // anchored value is such a value itself.
  const aliases = meant
    .filter(({ entry }) => isAlias(entry) && !direct.has(entry.value.span.start))
    .flatMap(({ word, entry }) => editOfAlias(word, entry, text) ?? []);
  return [...direct.values(), ...aliases];
}

/** Returns whether a value is an alias: its anchor precedes the key, whereas a value follows it. */
const isAlias = ({ key, value }: MapEntry): boolean => value.span.start < key.span.start;

function editWithin(word: Word, { value }: MapEntry, text: string): Edit | undefined {
  const found = words[word].written.exec(text.slice(value.span.start, value.span.end));
  if (found === null) return undefined; // written with escapes: reported as a leftover
  const start = value.span.start + found.index;
  return { start, end: start + "cerbos".length, text: "authz" };
}

function editOfAlias(word: Word, { key, value }: MapEntry, text: string): Edit | undefined {
  const found = /^["']?\s*:\s*(\*[^\s,[\]{}]+)/.exec(text.slice(key.span.end, key.span.end + 1_000));
  const [all, alias] = found ?? [];
  if (all === undefined || alias === undefined || value.kind !== "scalar") return undefined;
  const end = key.span.end + all.length;
  return { start: end - alias.length, end, text: JSON.stringify(words[word].neutral(value.text)) };
}
