/** The diagnostic for a folder `_schemas` that is not at the root of the store: its schemas would never be found. */
import type { Diagnostic } from "../diagnostic.ts";

/** Says that a folder, by its path relative to the store's root, is such a one; `paths.ts` tells which are. */
export const misplacedSchemas = (folder: string): Diagnostic => ({
  code: "misplaced-schemas",
  severity: "error",
  source: { path: folder, text: "" },
  message: "a folder `_schemas` can only stand at the root of the store",
  hint: "move its schemas to `_schemas` at the root, or give the folder another name",
});
