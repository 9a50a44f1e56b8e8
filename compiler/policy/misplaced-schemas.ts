/** The diagnostic for a folder `_schemas` that is not at the root of the store, where no schema is looked up. */
import type { Diagnostic } from "../diagnostic.ts";

/** The diagnostic for such a folder; the path is relative to the store's root. `paths.ts` finds them. */
export const misplacedSchemas = (folder: string): Diagnostic => ({
  code: "misplaced-schemas",
  severity: "error",
  source: { path: folder, text: "" },
  message: "a folder `_schemas` is allowed only at the root of the store",
  hint: "move its schemas to `_schemas` at the root, or give the folder another name",
});
