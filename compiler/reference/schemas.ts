/** Validates an input's attributes by schemas (semantics 6). */
import type { ValidationError } from "../../runtime/decide/decision.ts";
import type { CheckInput, CheckOptions } from "../../runtime/decide/input.ts";
import type { ResourcePolicy, SchemaReference } from "../link/policy-set.ts";
import { matchesGlob } from "./glob.ts";

/**
 * Validates by the schemas of the policy at the nearest scope, principal first. `index` is the input's index in its
 * batch.
 */
export function validate(
  leaf: ResourcePolicy | undefined,
  { principal, resource, actions }: CheckInput,
  { schemas: enforcement }: CheckOptions,
  index: number,
): readonly ValidationError[] {
  if (leaf === undefined || enforcement === undefined) return [];
  // A schema is skipped if all actions match its `ignoreWhen` patterns.
  const matters = (schema: SchemaReference | undefined): schema is SchemaReference =>
    schema !== undefined && !actions.every((action) => schema.ignoreWhen.some((pattern) => matchesGlob(pattern, action)));
  const check = (source: ValidationError["source"], schema: SchemaReference | undefined, attributes: CheckInput["principal"]["attr"]) =>
    matters(schema) ? enforcement.validate(index, source, schema.ref, attributes ?? {}) : [];
  return [
    ...check("SOURCE_PRINCIPAL", leaf.schemas.principal, principal.attr),
    ...check("SOURCE_RESOURCE", leaf.schemas.resource, resource.attr),
  ];
}
