/** Finds and reads the files that paths on a command line stand for. */
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { byUnits } from "../../../runtime/order.ts";
import { codeOf, isRefusal, messageOf, refusal } from "../../refusal.ts";
import { printable } from "./printable.ts";
import { readPath, readStandardInput } from "./read-input.ts";
import type { StandardInput } from "./tty.ts";

/** A file that was found. */
export interface FoundFile {
  /** Where it is. */
  readonly path: string;
  /** Its path relative to the directory that was named; its own name when the file itself was named. */
  readonly relativePath: string;
  /** Whether the file itself was named: then it is used whatever its name looks like. */
  readonly isNamed: boolean;
}

/** The name of standard input in messages. */
export const standardInput = "<stdin>";

/** Finds files, in the order of the paths. Throws a refusal that lists every path that cannot be read. `-` is standard input. */
export async function findFiles(paths: readonly string[], isRecursive: boolean): Promise<readonly FoundFile[]> {
  const found = new Map<string, FoundFile>();
  const unreadable: string[] = [];
  const refuse = (path: string, code: string): void =>
    void unreadable.push(`  ${printable(path)}: ${code === "ENOENT" ? "there is no such file" : code}`);
  for (const path of new Set(paths)) {
    if (path === "-") found.set(path, { path, relativePath: standardInput, isNamed: true });
    else {
      const kind = await stat(path).catch((error: unknown) => codeOf(error) ?? messageOf(error));
      if (typeof kind === "string") refuse(path, kind);
      else if (!kind.isDirectory()) found.set(path, { path, relativePath: basename(path), isNamed: true });
      else
        for (const relativePath of await filesBelow(path, "", isRecursive, refuse))
          found.set(join(path, relativePath), { path: join(path, relativePath), relativePath, isNamed: false });
    }
  }
  if (unreadable.length > 0) throw refusal(`these cannot be read:\n${unreadable.join("\n")}`);
  return [...found.values()];
}

/** Symbolic links to directories are not followed, so that the walk ends. */
async function filesBelow(
  root: string,
  folder: string,
  isRecursive: boolean,
  refuse: (path: string, code: string) => void,
): Promise<readonly string[]> {
  const found: string[] = [];
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
    refuse(join(root, folder), codeOf(error) ?? messageOf(error));
    return [];
  });
  for (const entry of entries.toSorted((left, right) => byUnits(left.name, right.name))) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (isRecursive && !entry.name.startsWith(".")) found.push(...(await filesBelow(root, path, isRecursive, refuse)));
    } else if (entry.isFile() || (entry.isSymbolicLink() && (await isFile(join(root, path))))) found.push(path);
  }
  return found;
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

/** Reads a file; resolves to an error message when it cannot be read. */
export async function readText(
  { path }: FoundFile,
  input: StandardInput,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  try {
    const bytes = await (path === "-" ? readStandardInput(input) : readPath(path));
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    if (isRefusal(error)) return { problem: error.message };
    return { problem: error instanceof TypeError ? "this is not UTF-8 text" : `it cannot be read: ${codeOf(error) ?? messageOf(error)}` };
  }
}
