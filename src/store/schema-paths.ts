/** Recognises the schemas of a store by their paths (semantics 1.10 and 6). */

/** The directory of schemas, at the root of a store. */
export const schemaFolder = "_schemas";

/** Returns whether a path, relative to the store's root, is that of a schema. */
export function isSchemaPath(path: string): boolean {
  return path.startsWith(`${schemaFolder}/`) && /\.json$/i.test(path) && !path.includes("/.");
}

/** Returns the path of a schema relative to the schema directory, by which references name it. */
export const belowSchemas = (path: string): string => path.slice(schemaFolder.length + 1);

/** Returns the path relative to the store's root, given the path relative to the schema directory. */
export const schemaPath = (below: string): string => `${schemaFolder}/${below}`;
