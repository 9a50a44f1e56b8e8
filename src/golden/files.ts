/** Lists, reads and writes the files of golden cases and requests. */
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Source } from "../../compiler/source.ts";
import { byUnits } from "../../runtime/order.ts";
import { codeOf, refusal } from "../refusal.ts";
import { writeAtomically } from "../texts/write-atomically.ts";

/** Lists the YAML and JSON files of a path: itself, or all below a directory, sorted. Rejects with a refusal when there are none. */
export async function filesAt(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch((error: unknown) => {
    throw refusal(`\`${path}\` cannot be read (${codeOf(error) ?? "unknown error"})`);
  });
  if (!found.isDirectory()) return [path];
  const names = await readdir(path, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile() && !entry.name.startsWith(".") && /\.(?:ya?ml|json)$/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted(byUnits);
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
