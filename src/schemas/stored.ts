/** The schemas of a store, for those who first compile policies and then decide: judged and enforced by the same, each made ready once. */
import type { Severity } from "../../compiler/diagnostic.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import type { SchemaEnforcement } from "../../runtime/decide/input.ts";
import { fetchText } from "../texts/fetch-text.ts";
import { checkBy, type SchemasCheck } from "./check.ts";
import { enforceBy, type StoredSchemas } from "./enforce.ts";
import { openSchemas } from "./schemas.ts";

/** Schemas that are open. */
export interface OpenSchemas {
  readonly check: SchemasCheck;
  /** Waits for the schemas of other hosts, which a check does not. */
  readonly enforce: (bundle: Pick<Bundle, "units">) => Promise<SchemaEnforcement>;
}

/** Opens them. */
export function openStoredSchemas({ files, places }: StoredSchemas, severity: Severity): OpenSchemas {
  let begin: () => void = () => undefined;
  const isWanted = new Promise<void>((resolve) => void (begin = resolve));
  const opened = openSchemas(files, {
    ...places,
    // A check of policies asks nobody else.
    fetchText: async (...given) => {
      await isWanted;
      return fetchText(...given);
    },
  });
  return {
    check: checkBy(opened, files, severity),
    enforce: (bundle) => {
      begin();
      return enforceBy(bundle, opened);
    },
  };
}
