/** Reads references to the schemas that attributes must satisfy. */
import { mapEach } from "../map-present.ts";
import { uniqueStrings } from "../yaml/collection.ts";
import { record } from "../yaml/record.ts";
import { string } from "../yaml/scalar.ts";
import { required, type Read } from "../yaml/shape.ts";
import type { SchemaReferenceNode, SchemasNode } from "./document.ts";
import { located, locatedItems } from "./located.ts";
import { notEmpty } from "./patterns.ts";

const reference = record({
  ref: required(string()),
  ignoreWhen: record({ actions: required(uniqueStrings(string(notEmpty))) }),
});

/** The shape of a resource policy's schemas. */
export const schemasShape = record({ principalSchema: reference, resourceSchema: reference });

/** Builds references; one without `ref` (reported) is left out. */
export function readSchemas(schemas: Read<typeof schemasShape> | undefined): SchemasNode {
  const principal = readReference(schemas?.fields.principalSchema);
  const resource = readReference(schemas?.fields.resourceSchema);
  return eitherOf(principal, resource);
}

/**
 * An object with those that are present. Each form is an object literal: a spread copy would have a hidden class of
 * its own, which is slower.
 */
export function eitherOf<T>(principal: T | undefined, resource: T | undefined): { readonly principal?: T; readonly resource?: T } {
  if (principal === undefined) return resource === undefined ? {} : { resource };
  return resource === undefined ? { principal } : { principal, resource };
}

function readReference(read: Read<typeof reference> | undefined): SchemaReferenceNode | undefined {
  const ref = read?.fields.ref;
  if (ref === undefined || ref.value === "") return undefined;
  const { value, span, path } = located(ref);
  return {
    ref: { value: neutral(value), span, path },
    ignoreWhen: mapEach(locatedItems(read?.fields.ignoreWhen?.fields.actions), (action) => action.value),
  };
}

// D19: the original scheme is accepted as an alias when read, and never written.
const neutral = (ref: string): string => ref.replace(/^cerbos:\/\/\//, "authz:///");
