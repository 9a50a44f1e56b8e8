/**
 * Lists the files of a directory that may contain the words: YAML and JSON files that are not hidden. Links are not followed out of the
 * directory.
 */
import { readdir, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { codeOf, refusal } from "../refusal.ts";

/** The files of a directory. */
export interface Folder {
  /** Its real path. */
  readonly root: string;
  /** Paths relative to the root, `/` between segments; sorted, each once. */
  readonly files: readonly string[];
  /** What was not read, and why. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

/** Lists a directory; throws a refusal when it cannot be read. */
export async function walkFolder(directory: string): Promise<Folder> {
  const root = await realpath(directory).catch((error: unknown) => {
    throw refusal(`the folder \`${directory}\` ${codeOf(error) === "ENOENT" ? "does not exist" : `cannot be read (${codeOf(error)})`}`);
  });
  if (!(await stat(root)).isDirectory()) throw refusal(`\`${directory}\` is not a folder`);
  const files = new Set<string>();
  const problems: Folder["problems"][number][] = [];
  const seen = new Set<string>();
  const asPath = (path: string): string => relative(root, path).split(sep).join("/");

  const walk = async (folder: string): Promise<void> => {
    if (seen.has(folder)) return;
    seen.add(folder);
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      problems.push({ path: asPath(folder) || ".", message: `the folder cannot be read (${codeOf(error) ?? "unknown error"})` });
      return [];
    });
    for (const entry of entries) {
      // The reference's configuration is the only hidden file that matters.
      if ((entry.name.startsWith(".") && !/^\.cerbos\.ya?ml$/.test(entry.name)) || entry.name === "node_modules") continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await walk(path);
      else if (entry.isFile()) take(path);
      else if (entry.isSymbolicLink()) await follow(path);
    }
  };
  const take = (path: string): void => void (/\.(?:ya?ml|json)$/i.test(path) && files.add(asPath(path)));
  const follow = async (link: string): Promise<void> => {
    const target = await realpath(link).catch(() => undefined);
    const found = target === undefined ? undefined : await stat(target).catch(() => undefined);
    if (target === undefined || found === undefined) problems.push({ path: asPath(link), message: "the link leads nowhere" });
    else if (target !== root && !target.startsWith(root.endsWith(sep) ? root : root + sep)) {
      if (found.isDirectory() || /\.(?:ya?ml|json)$/i.test(link))
        problems.push({ path: asPath(link), message: "the link leads out of the folder: migrate what it leads to by itself" });
    } else if (found.isDirectory()) await walk(target);
    else take(target);
  };

  await walk(root);
  return { root, files: [...files].toSorted(), problems };
}
