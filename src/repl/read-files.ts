/** Reads the files of a session: a request, globals, policies. Errors are refusals. */
import { readFile, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { Json } from "../../runtime/cel/to-json.ts";
import { printJsonMistake } from "../../runtime/wire/json-mistake.ts";
import { scanJson } from "../../runtime/wire/scan.ts";
import type { Environment } from "../config/environment.ts";
import { toValue } from "../config/node.ts";
import { printProblem, type Problem } from "../config/problem.ts";
import { readYaml } from "../config/read-yaml.ts";
import { codeOf, refusal } from "../refusal.ts";
import { openDiskStore } from "../store/disk.ts";
import { schemaFolder } from "../store/schema-paths.ts";
import { printUnreadable } from "../store/store.ts";
import { noPolicyFiles, type PolicyFiles } from "./answer.ts";
import type { State } from "./state.ts";

async function readText(file: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file));
  } catch (error) {
    if (error instanceof TypeError) throw refusal(`\`${file}\` is not UTF-8 text`);
    throw refusal(`\`${file}\` ${whyUnreadable(error)}`);
  }
}

function whyUnreadable(error: unknown): string {
  switch (codeOf(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return "does not exist";
    case "EISDIR":
      return "is a directory";
    case "EACCES":
      return "may not be read";
    default:
      return `cannot be read (${codeOf(error) ?? "unknown error"})`;
  }
}

/** Reads a request; invalid JSON is refused with its position. */
export async function readJson(file: string): Promise<Json> {
  const text = await readText(file);
  const problem = scanJson(text);
  if (problem !== undefined) {
    if (hasDocumentPerLine(text))
      throw refusal(`${file}: this is one JSON document a line, as in an audit log: put the line of one decision into a file of its own`);
    throw refusal(`${file}: ${printJsonMistake(text, problem)}`);
  }
  const json: Json = JSON.parse(text);
  return json;
}

function hasDocumentPerLine(text: string): boolean {
  const [first = "", second = ""] = text.split("\n", 2);
  return [first, second].every((line) => line.startsWith("{") && scanJson(line) === undefined);
}

/** Reads globals from YAML or JSON, with environment variables substituted for `${NAME}`. */
export async function readGlobals(file: string, environment: Environment): Promise<State["globals"]> {
  const problems: Problem[] = [];
  const tree = readYaml(file, await readText(file), environment, (problem) => void problems.push(problem));
  if (problems.length > 0) throw refusal(problems.map(printProblem).join("\n"));
  return new Map(tree.entries.map(({ key, value }) => [key, toValue(value)]));
}

/** Below the working directory relative to it, elsewhere absolute: `./a`, `a/` and its absolute path are one. */
function pathOf(written: string): string {
  const path = relative("", written);
  return path.startsWith("..") ? resolve(written) : path;
}

/** Returns the nearest folder, from here upwards, with schemas: the root of a store, below which a policy may lie deep. */
async function folderWithSchemas(from: string): Promise<string | undefined> {
  const found = await stat(join(from, schemaFolder)).catch(() => undefined);
  if (found?.isDirectory() === true) return from;
  return dirname(from) === from ? undefined : folderWithSchemas(dirname(from));
}

/** Reads one policy file, or all below a directory, with the schemas there. */
export async function readPolicies(written: string): Promise<PolicyFiles> {
  const found = await stat(written).catch((error: unknown) => {
    throw refusal(`\`${written}\` ${whyUnreadable(error)}`);
  });
  const path = pathOf(written);
  if (!found.isDirectory()) {
    const store = await folderWithSchemas(dirname(resolve(written)));
    const folder = dirname(path);
    return { ...noPolicyFiles, policies: [{ path, text: await readText(written) }], folder, ...(store !== undefined && { store }) };
  }
  const { changed, changedSchemas, unreadable } = await openDiskStore({ directory: written }).read();
  if (unreadable.length > 0) throw refusal(unreadable.map(printUnreadable).join("\n"));
  return {
    policies: changed.map((source) => ({ path: join(path, source.path), text: source.text })),
    schemas: new Map(changedSchemas.map((schema) => [schema.path, schema.text])),
  };
}
