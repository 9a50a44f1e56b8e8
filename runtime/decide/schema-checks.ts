/** The schemas that the attributes of an input must satisfy (semantics 6). */
import type { BundledSchemaReference, BundledSchemas } from "../bundle.ts";
import type { SchemaCheck, ValidationError } from "./decision.ts";
import { matchesGlob } from "./glob.ts";
import type { CheckInput, SchemaEnforcement } from "./input.ts";

/** Those of the policy at the nearest scope, principal first; none that every one of the actions ignores. */
export function schemaChecksOf(schemas: BundledSchemas | undefined, { actions }: CheckInput, input: number): readonly SchemaCheck[] {
  if (schemas === undefined) return none;
  const check = (source: SchemaCheck["source"], schema: BundledSchemaReference | undefined): readonly SchemaCheck[] =>
    schema === undefined || actions.every((action) => schema.ignoreWhen.some((pattern) => matchesGlob(pattern, action)))
      ? none
      : [{ input, source, ref: schema.ref }];
  return [...check("SOURCE_PRINCIPAL", schemas.principal), ...check("SOURCE_RESOURCE", schemas.resource)];
}

const none: readonly never[] = Object.freeze([]);

/** What the schemas find wrong with an input. */
export const validate = (
  checks: readonly SchemaCheck[],
  { principal, resource }: CheckInput,
  enforcement: SchemaEnforcement,
): readonly ValidationError[] =>
  checks.flatMap(({ input, source, ref }) =>
    enforcement.validate(input, source, ref, (source === "SOURCE_PRINCIPAL" ? principal : resource).attr ?? {}),
  );
