/** Opens the schemas of a store for commands that first compile policies and then decide: each schema is compiled once for both. */
import type { Severity } from "../../compiler/diagnostic.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import type { SchemaEnforcement } from "../../runtime/decide/input.ts";
import { fetchText } from "../outgoing/fetch-text.ts";
import { checkWithSchemas, type SchemasCheck } from "./check.ts";
import { enforceWithSchemas, schemaReferences, type StoredSchemas } from "./enforce.ts";
import { openSchemas } from "./schemas.ts";

/** Open schemas. */
export interface OpenSchemas {
  readonly check: SchemasCheck;
  /** Loads all schemas, including those of other hosts, for which `check` does not wait. */
  readonly enforce: (bundle: Pick<Bundle, "units">) => Promise<SchemaEnforcement>;
}

/** Opens the schemas. */
export function openStoredSchemas({ files, places }: StoredSchemas, severity: Severity): OpenSchemas {
  let begin: () => void = () => undefined;
  const isWanted = new Promise<void>((resolve) => void (begin = resolve));
  const opened = openSchemas(files, {
    ...places,
    // Compiling policies must not fetch anything, so fetching waits for `enforce`.
    fetchText: async (...given) => {
      await isWanted;
      return fetchText(...given);
    },
  });
  return {
    check: checkWithSchemas(opened, files, severity),
    enforce: (bundle) => {
      begin();
      return enforceWithSchemas(schemaReferences(bundle), opened);
    },
  };
}
