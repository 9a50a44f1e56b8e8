/** Compiles the schemas that policies refer to into code for modules, because a module cannot compile anything at run time. */
import type { Bundle } from "../../runtime/bundle.ts";
import { byUnits } from "../../runtime/order.ts";
import { fetchText } from "../outgoing/fetch-text.ts";
import { refusal } from "../refusal.ts";
import type { StoredSchemas } from "../schemas/enforce.ts";
import { loadSchema } from "../schemas/load.ts";
import { readReference } from "../schemas/reference.ts";

/** How a module validates attributes. */
export interface ModuleSchemas {
  readonly enforcement: "warn" | "reject";
  /** The validators, in the order of their references. */
  readonly validators: readonly { readonly ref: string; readonly code: string }[];
  /** The regular expressions that need the regex engine. */
  readonly patterns: readonly string[];
}

/** Lists the schemas that policies refer to. */
export const referencesIn = ({ units }: Pick<Bundle, "units">): readonly string[] =>
  [
    ...new Set(
      units.flatMap(({ scopes }) =>
        scopes.flatMap(({ schemas }) => [schemas?.principal, schemas?.resource].flatMap((reference) => reference?.ref ?? [])),
      ),
    ),
  ].toSorted(byUnits);

/** Prints the validators; rejects with a refusal when a schema cannot be used. */
export async function printSchemas(
  bundle: Pick<Bundle, "units">,
  { files, places }: StoredSchemas,
  enforcement: ModuleSchemas["enforcement"],
): Promise<ModuleSchemas> {
  const printed = await Promise.all(
    referencesIn(bundle).map(async (ref) => {
      const read = readReference(ref);
      const loaded = "reason" in read ? read : await loadSchema(read.url, files, { ...places, fetchText });
      if ("reason" in loaded) throw refusal(`the schema \`${ref}\` cannot be used: ${loaded.reason}`);
      return { ref, ...loaded.print() };
    }),
  );
  return {
    enforcement,
    validators: printed.map(({ ref, code }) => ({ ref, code })),
    patterns: printed.flatMap(({ patterns }) => patterns),
  };
}
