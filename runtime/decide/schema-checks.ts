/** Selects the schemas that the attributes of an input must satisfy (semantics 6). */
import type { BundledSchemaReference, BundledSchemas } from "../bundle.ts";
import type { SchemaCheck, ValidationError } from "./decision.ts";
import { matchesGlob } from "./glob.ts";
import type { CheckInput, SchemaEnforcement } from "./input.ts";

/**
 * Returns those of the policy at the nearest scope, the principal's first, except those that `ignoreWhen` excludes
 * for all actions.
 */
export function schemaChecksOf(schemas: BundledSchemas | undefined, { actions }: CheckInput, input: number): readonly SchemaCheck[] {
  if (schemas === undefined) return none;
  const checks: SchemaCheck[] = [];
  const { principal, resource } = schemas;
  if (principal !== undefined && !isIgnored(principal, actions)) checks.push({ input, source: "SOURCE_PRINCIPAL", ref: principal.ref });
  if (resource !== undefined && !isIgnored(resource, actions)) checks.push({ input, source: "SOURCE_RESOURCE", ref: resource.ref });
  return checks;
}

/** Most schemas have no `ignoreWhen`. */
const isIgnored = ({ ignoreWhen }: BundledSchemaReference, actions: readonly string[]): boolean =>
  actions.length === 0 || (ignoreWhen.length > 0 && actions.every((action) => ignoreWhen.some((pattern) => matchesGlob(pattern, action))));

const none: readonly never[] = Object.freeze([]);

/** Returns the violations of the schemas. */
export const validate = (
  checks: readonly SchemaCheck[],
  { principal, resource }: CheckInput,
  enforcement: SchemaEnforcement,
): readonly ValidationError[] =>
  checks.flatMap(({ input, source, ref }) =>
    enforcement.validate(input, source, ref, (source === "SOURCE_PRINCIPAL" ? principal : resource).attr ?? {}),
  );
