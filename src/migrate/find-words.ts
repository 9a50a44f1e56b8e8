/** Finds the reference's own name where it means something: the value of `apiVersion`, and the scheme of schema URLs (D19). */
import type { Diagnostic } from "../../compiler/diagnostic.ts";
import type { MapEntry, MapNode, YamlNode } from "../../compiler/yaml/node.ts";
import { parseYaml } from "../../compiler/yaml/parse.ts";
import type { Edit } from "./edit.ts";
import { schemaUrls } from "./schema-words.ts";

/** What a text has of the words. */
export interface FoundWords {
  readonly edits: readonly Edit[];
  /** Why the text could not be read; then there are no edits. */
  readonly problem?: Diagnostic;
}

/** The two words: how the value begins, how it may be written, what each becomes. */
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
  // Nearly no file of a project that has moved in holds the word, and then nothing has to be read.
  if (!/cerbos/.test(text)) return { edits: [] };
  const problems: Diagnostic[] = [];
  const documents = parseYaml({ path, text }, (diagnostic) => void problems.push(diagnostic));
  const [problem] = problems;
  if (problem !== undefined) return { edits: [], problem };
  const isSchema = path.split("/").includes("_schemas") && /\.json$/i.test(path);
  const found = documents.flatMap((document) => (isSchema ? urls(schemaUrls(document)) : policyWords(document)));
  return { edits: editsFor(found, text) };
}

/** A value in a place where a word means something. */
interface Place {
  readonly word: Word;
  readonly entry: MapEntry;
}

/** The places of a policy: whatever else a document is, it has none of these fields. */
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
  // What an alias stands for may be a description elsewhere, so the alias gives way and its anchor stays; unless the anchor is such a value itself.
  const aliases = meant
    .filter(({ entry }) => isAlias(entry) && !direct.has(entry.value.span.start))
    .flatMap(({ word, entry }) => editOfAlias(word, entry, text) ?? []);
  return [...direct.values(), ...aliases];
}

/** An anchor always stands before its aliases, a value after its key. */
const isAlias = ({ key, value }: MapEntry): boolean => value.span.start < key.span.start;

function editWithin(word: Word, { value }: MapEntry, text: string): Edit | undefined {
  const found = words[word].written.exec(text.slice(value.span.start, value.span.end));
  if (found === null) return undefined; // spelled with escapes: it is told with what was left
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
