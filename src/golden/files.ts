/** Lists, reads and writes the files of golden cases and requests. */
import { lstat, mkdir, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Source } from "../../compiler/source.ts";
import { byUnits } from "../../runtime/order.ts";
import { codeOf, refusal } from "../refusal.ts";
import { writeAtomically } from "../texts/write-atomically.ts";

/**
 * Lists the YAML and JSON files of a path: itself, or all below a directory, sorted. A link to a file counts as the file. Rejects with
 * a refusal when something cannot be read.
 */
export async function filesAt(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch((error: unknown) => refuse(path, error));
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch((error: unknown) => refuse(path, error));
  const named = entries.filter(({ name }) => !name.startsWith(".") && /\.(?:ya?ml|json)$/i.test(name));
  const files = await Promise.all(
    named.map(async (entry) => {
      const file = join(entry.parentPath, entry.name);
      return entry.isFile() || (entry.isSymbolicLink() && (await leadsToNoFolder(file))) ? [file] : [];
    }),
  );
  return files.flat().toSorted(byUnits);
}

/** A link that leads nowhere counts too: reading it reports that. */
const leadsToNoFolder = (link: string): Promise<boolean> =>
  stat(link).then(
    (found) => !found.isDirectory(),
    () => true,
  );

/** Returns whether there is something at a path, be it a link that leads nowhere; rejects with a refusal when that cannot be told. */
export const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "") ? false : refuse(path, error)),
  );

function refuse(path: string, error: unknown): never {
  const place = error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : path;
  throw refusal(`\`${place}\` cannot be read (${codeOf(error) ?? "unknown error"})`);
}

/** Reads a file; rejects with a refusal when it cannot be read or is not UTF-8. */
export async function sourceAt(path: string): Promise<Source> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw refusal(`\`${path}\` cannot be read (${codeOf(error) ?? "unknown error"})`);
  });
  try {
    return { path, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    throw refusal(`\`${path}\` is not UTF-8 text`);
  }
}

/** Writes a file atomically, and creates its directory; rejects with a refusal when that fails. */
export async function writeCase(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeAtomically(path, Buffer.from(text), 0o666);
  } catch (error) {
    throw refusal(`\`${path}\` cannot be written (${codeOf(error) ?? "unknown error"})`);
  }
}
