/** Which files of a store are schemas, by their path alone (semantics 1.10 and 6). */

/** The folder that schemas lie in, at the root of a store. */
const schemaFolder = "_schemas";

/** Says whether the file at this path, relative to the store's root, is a schema. */
export function isSchemaPath(path: string): boolean {
  return path.startsWith(`${schemaFolder}/`) && /\.json$/i.test(path) && !path.includes("/.");
}

/** Returns the path of a schema below the folder that schemas lie in: what a reference names it by. */
export const belowSchemas = (path: string): string => path.slice(schemaFolder.length + 1);

/** Returns the path, relative to the store's root, of a schema by its path below the folder of schemas. */
export const schemaPath = (below: string): string => `${schemaFolder}/${below}`;
