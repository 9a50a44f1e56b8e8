/** Which files of a store are policies, by their path alone (semantics 1.10). */

const schemas = "_schemas";
const endings: ReadonlySet<string> = new Set(["yaml", "yml", "json"]);

/** Says whether the file at this path, relative to the store's root, is read as a policy. */
export function isPolicyPath(path: string): boolean {
  const end = path.lastIndexOf("/");
  const file = path.slice(end + 1);
  const dot = file.lastIndexOf(".");
  if (dot <= 0 || file.startsWith(".") || !endings.has(file.slice(dot + 1).toLowerCase())) return false;
  if (file.slice(0, dot).toLowerCase().endsWith("_test")) return false;
  if (end === -1) return true; // most of thousands
  const folders = path.slice(0, end).split("/");
  return !folders.some(isPassedOver) && !folders.includes(schemas);
}

/** Says whether a folder, by its path relative to the store's root, is called `_schemas` and stands where no schema is looked for. */
export function isMisplacedSchemas(folder: string): boolean {
  const { folders, file } = split(folder);
  return file === schemas && folders.length > 0 && !folders.some(isPassedOver) && !folders.includes(schemas);
}

const isPassedOver = (folder: string): boolean => folder.startsWith(".") || folder === "testdata";

function split(path: string): { readonly folders: readonly string[]; readonly file: string } {
  const segments = path.split("/");
  return { folders: segments.slice(0, -1), file: segments.at(-1) ?? "" };
}
