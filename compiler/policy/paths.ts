/** Decides from the path alone which files of a store are policies (semantics 1.10). */

const schemas = "_schemas";
const endings: ReadonlySet<string> = new Set(["yaml", "yml", "json"]);

/** Whether a file is a policy; the path is relative to the store's root. */
export function isPolicyPath(path: string): boolean {
  const end = path.lastIndexOf("/");
  const file = path.slice(end + 1);
  const dot = file.lastIndexOf(".");
  if (dot <= 0 || file.startsWith(".") || !endings.has(file.slice(dot + 1).toLowerCase())) return false;
  if (file.slice(0, dot).toLowerCase().endsWith("_test")) return false;
  if (end === -1) return true; // the usual case, for thousands of files
  const folders = path.slice(0, end).split("/");
  return !folders.some(isIgnored) && !folders.includes(schemas);
}

/**
 * Whether a folder is called `_schemas` but is not where schemas are looked up; the path is relative to the store's
 * root.
 */
export function isMisplacedSchemas(folder: string): boolean {
  const { folders, file } = split(folder);
  return file === schemas && folders.length > 0 && !folders.some(isIgnored) && !folders.includes(schemas);
}

const isIgnored = (folder: string): boolean => folder.startsWith(".") || folder === "testdata";

function split(path: string): { readonly folders: readonly string[]; readonly file: string } {
  const segments = path.split("/");
  return { folders: segments.slice(0, -1), file: segments.at(-1) ?? "" };
}
