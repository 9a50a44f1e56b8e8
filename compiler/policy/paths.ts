/** Which files of a store are policies, by their path alone (semantics 1.10). */

/** Says whether the file at this path, relative to the store's root, is read as a policy. */
export function isPolicyPath(path: string): boolean {
  const segments = path.split("/");
  const folders = segments.slice(0, -1);
  const file = segments.at(-1) ?? "";
  if (segments.some((segment) => segment.startsWith("."))) return false;
  if (folders.includes("testdata") || folders.includes("_schemas")) return false;
  return /\.(?:ya?ml|json)$/i.test(file) && !/_test\.(?:ya?ml|json)$/i.test(file);
}
