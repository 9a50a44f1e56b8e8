/** Migrates a directory: finds the words in every file, and replaces or only lists them. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { lineAt, positionAt } from "../../compiler/source.ts";
import { printDiagnostic } from "../../compiler/print-diagnostics.ts";
import { codeOf } from "../refusal.ts";
import { replaceAtomically } from "../texts/write-atomically.ts";
import { applyEdits } from "./edit.ts";
import { findWords } from "./find-words.ts";
import { findLeftovers, type Leftover } from "./leftovers.ts";
import { walkFolder } from "./walk-folder.ts";

/** One changed line. */
export interface ChangedLine {
  readonly path: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** The result of a migration. */
export interface Migration {
  /** The number of files that were read. */
  readonly files: number;
  readonly changed: readonly ChangedLine[];
  readonly leftovers: readonly Leftover[];
  /** Files that look like a server configuration, which is not a policy. */
  readonly configurations: readonly string[];
  /** Files that could not be read or written, as messages. */
  readonly problems: readonly string[];
}

interface FileOutcome {
  readonly changed: readonly ChangedLine[];
  readonly leftovers: readonly Leftover[];
  readonly isConfiguration?: boolean;
  readonly problem?: string;
}

/** Migrates a directory; a dry run writes nothing. */
export async function migrateFolder(directory: string, isDryRun: boolean): Promise<Migration> {
  const { root, files, problems } = await walkFolder(directory);
  const outcomes: (FileOutcome & { readonly path: string })[] = [];
  for (const path of files) outcomes.push({ path, ...(await migrateFile(root, path, isDryRun)) });
  return {
    files: files.length,
    changed: outcomes.flatMap(({ changed }) => changed),
    leftovers: outcomes.flatMap(({ leftovers }) => leftovers),
    configurations: outcomes.filter(({ isConfiguration }) => isConfiguration === true).map(({ path }) => path),
    problems: [...problems.map(({ path, message }) => `${path}: error: ${message}`), ...outcomes.flatMap(({ problem }) => problem ?? [])],
  };
}

async function migrateFile(root: string, path: string, isDryRun: boolean): Promise<FileOutcome> {
  const nothing = { changed: [], leftovers: [] };
  const text = await readText(join(root, path));
  if (typeof text !== "string") return { ...nothing, problem: `${path}: error: ${text.message}` };
  const isConfiguration = looksLikeConfiguration(text);
  if (isConfiguration) return { ...nothing, isConfiguration };
  const { edits, problem } = findWords(path, text);
  if (problem !== undefined) return { ...nothing, leftovers: findLeftovers(path, text), problem: printDiagnostic(problem) };
  const after = applyEdits(text, edits);
  const leftovers = findLeftovers(path, after);
  if (edits.length === 0) return { changed: [], leftovers };
  const source = { path, text };
  const changedSource = { path, text: after };
  const lines = new Set(edits.map(({ start }) => positionAt(source, start).line));
  const changed = Array.from(lines, (line) => ({ path, line, before: lineAt(source, line), after: lineAt(changedSource, line) }));
  if (isDryRun) return { changed, leftovers };
  try {
    await replaceAtomically(join(root, path), new TextEncoder().encode(after));
    return { changed, leftovers };
  } catch (error) {
    return { ...nothing, problem: `${path}: error: the file cannot be written (${codeOf(error) ?? "unknown error"}); it is as it was` };
  }
}

/** Reads a file completely, including a byte order mark. */
async function readText(path: string): Promise<string | { readonly message: string }> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (error) {
    if (error instanceof TypeError) return { message: "the file is not UTF-8 text" };
    return { message: `the file cannot be read (${codeOf(error) ?? "unknown error"})` };
  }
}

/** Returns whether a file looks like a configuration: it has top-level sections, and no `apiVersion`. */
const looksLikeConfiguration = (text: string): boolean =>
  !/^["']?api_?[vV]ersion/m.test(text) && /^(?:server|storage):\s*(?:#.*)?$/m.test(text) && !/^(?:tests|principals|resources):/m.test(text);
