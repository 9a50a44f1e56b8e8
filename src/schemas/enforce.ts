/** Loads the schemas of a store for enforcement without waiting, rejecting attributes that do not fit. */
import type { Bundle } from "../../runtime/bundle.ts";
import type { SchemaEnforcement } from "../../runtime/decide/input.ts";
import { fetchText } from "../outgoing/fetch-text.ts";
import type { SchemaFiles, SchemaPlaces } from "./load.ts";
import { openSchemas, type Schemas } from "./schemas.ts";

/** The schemas of a store, and where others may come from. */
export interface StoredSchemas {
  readonly files: SchemaFiles;
  readonly places: Omit<SchemaPlaces, "fetchText">;
}

/** The references of a bundle's policies to schemas. */
export const schemaReferences = ({ units }: Pick<Bundle, "units">): ReadonlySet<string> =>
  new Set(
    units.flatMap(({ scopes }) =>
      scopes.flatMap(({ schemas }) =>
        [schemas?.principal, schemas?.resource].flatMap((schema) => (schema === undefined ? [] : [schema.ref])),
      ),
    ),
  );

/** Loads every schema that the policies refer to, including those of other hosts. */
export const enforceSchemas = (references: ReadonlySet<string>, { files, places }: StoredSchemas): Promise<SchemaEnforcement> =>
  enforceWithSchemas(references, openSchemas(files, { ...places, fetchText }));

/** Does the same with schemas that are open already. */
export async function enforceWithSchemas(references: ReadonlySet<string>, opened: Schemas): Promise<SchemaEnforcement> {
  await opened.validate(Array.from(references, (ref) => ({ ref, attributes: {} })));
  return {
    enforcement: "reject",
    validate: (_input, source, ref, attributes) => {
      const findings = opened.validate([{ ref, attributes }]);
      // A host that failed is asked again after a while, but nobody waits for that.
      if (findings instanceof Promise) return [{ path: "", message: `the schema ${ref} cannot be loaded`, source }];
      return (findings[0] ?? []).map(({ path, message }) => ({ path, message, source }));
    },
  };
}
