/** Which files of a store are policies, by their path alone (semantics 1.10). */

const schemas = "_schemas";

/** Says whether the file at this path, relative to the store's root, is read as a policy. */
export function isPolicyPath(path: string): boolean {
  const { folders, file } = split(path);
  if (folders.some(isPassedOver) || folders.includes(schemas) || file.startsWith(".")) return false;
  return /\.(?:ya?ml|json)$/i.test(file) && !/_test\.(?:ya?ml|json)$/i.test(file);
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
