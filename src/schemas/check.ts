/** Answers the compiler's questions about schemas that policies refer to. */
import type { Severity } from "../../compiler/diagnostic.ts";
import type { SchemaCheck } from "../../compiler/link/check-schemas.ts";
import { nearest } from "../../compiler/nearest.ts";
import type { SchemaFiles, SchemaPlaces } from "./load.ts";
import { openSchemas, type Schemas } from "./schemas.ts";

/** Other hosts are not asked: compiling policies must not wait for them. */
const neverFetch: SchemaPlaces["fetchText"] = () => new Promise(() => undefined);

/** Where schemas may come from, without how they are fetched. */
export type SchemaRules = Omit<SchemaPlaces, "fetchText">;

/** A check of references that can be updated when files change. */
export interface SchemasCheck extends SchemaCheck {
  /** Returns the check for other files; what does not depend on the difference is reused. */
  readonly withFiles: (files: SchemaFiles) => SchemasCheck;
}

/** Checks references by the schemas of a store; those to other hosts are not checked. */
export function openSchemasCheck(files: SchemaFiles, places: SchemaRules, severity: Severity): SchemasCheck {
  return checkWithSchemas(openSchemas(files, { ...places, fetchText: neverFetch }), files, severity);
}

/** Checks references by schemas that are open already. */
export function checkWithSchemas(schemas: Schemas, files: SchemaFiles, severity: Severity): SchemasCheck {
  const names = [...files.keys()].map((path) => `authz:///${path}`);
  const problems = new Map<string, ReturnType<SchemaCheck["problemOf"]>>();
  const findProblem = (ref: string): ReturnType<SchemaCheck["problemOf"]> => {
    const message = schemas.problem(ref);
    if (message === undefined) return undefined;
    const near = names.includes(ref) ? undefined : nearest(ref, names);
    return { message, ...(near !== undefined && { hint: `did you mean \`${near}\`?` }) };
  };
  return {
    severity,
    problemOf: (ref) => {
      if (!problems.has(ref)) problems.set(ref, findProblem(ref));
      return problems.get(ref);
    },
    withFiles: (next) => checkWithSchemas(schemas.withFiles(next), next, severity),
  };
}
