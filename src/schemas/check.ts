/** What the compiler asks about the schemas that policies refer to. */
import type { Severity } from "../../compiler/diagnostic.ts";
import type { SchemaCheck } from "../../compiler/link/check-schemas.ts";
import { nearest } from "../../compiler/nearest.ts";
import type { SchemaFiles, SchemaPlaces } from "./load.ts";
import { openSchemas, type Schemas } from "./schemas.ts";

/** What other hosts would say is not waited for: a check of policies must not hang on them. */
const nobody: SchemaPlaces["fetchText"] = () => new Promise(() => undefined);

/** Where schemas may come from, but for how they are fetched. */
export type SchemaRules = Omit<SchemaPlaces, "fetchText">;

/** A check of references that goes on when files change. */
export interface SchemasCheck extends SchemaCheck {
  /** The same with other files; what does not depend on the difference is not looked at again. */
  readonly withFiles: (files: SchemaFiles) => SchemasCheck;
}

/** Judges references by the schemas of a store; those that lead to another host are not judged. */
export function checkOfSchemas(files: SchemaFiles, places: SchemaRules, severity: Severity): SchemasCheck {
  return checkBy(openSchemas(files, { ...places, fetchText: nobody }), files, severity);
}

/** Judges references by schemas that are open already. */
export function checkBy(schemas: Schemas, files: SchemaFiles, severity: Severity): SchemasCheck {
  const names = [...files.keys()].map((path) => `authz:///${path}`);
  const judged = new Map<string, ReturnType<SchemaCheck["problemOf"]>>();
  const judge = (ref: string): ReturnType<SchemaCheck["problemOf"]> => {
    const message = schemas.problem(ref);
    if (message === undefined) return undefined;
    const near = names.includes(ref) ? undefined : nearest(ref, names);
    return { message, ...(near !== undefined && { hint: `did you mean \`${near}\`?` }) };
  };
  return {
    severity,
    problemOf: (ref) => {
      if (!judged.has(ref)) judged.set(ref, judge(ref));
      return judged.get(ref);
    },
    withFiles: (next) => checkBy(schemas.withFiles(next), next, severity),
  };
}
