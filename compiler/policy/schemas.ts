/** References to the schemas that attributes must satisfy. */
import { uniqueTexts } from "../yaml/collection.ts";
import { record } from "../yaml/record.ts";
import { text } from "../yaml/scalar.ts";
import { required, type Read } from "../yaml/shape.ts";
import type { SchemaReferenceNode, SchemasNode } from "./document.ts";
import { located, locatedItems } from "./located.ts";
import { notEmpty } from "./patterns.ts";

const reference = record({
  ref: required(text()),
  ignoreWhen: record({ actions: required(uniqueTexts(text(notEmpty))) }),
});

/** The schemas of a resource policy. */
export const schemasShape = record({ principalSchema: reference, resourceSchema: reference });

/** Turns what was read into references; one that does not say which schema (reported) is none. */
export function readSchemas(schemas: Read<typeof schemasShape> | undefined): SchemasNode {
  const principal = readReference(schemas?.fields.principalSchema);
  const resource = readReference(schemas?.fields.resourceSchema);
  return { ...(principal && { principal }), ...(resource && { resource }) };
}

function readReference(read: Read<typeof reference> | undefined): SchemaReferenceNode | undefined {
  const ref = read?.fields.ref;
  if (ref === undefined || ref.value === "") return undefined;
  const written = located(ref);
  return {
    ref: { ...written, value: neutral(written.value) },
    ignoreWhen: locatedItems(read?.fields.ignoreWhen?.fields.actions).map((action) => action.value),
  };
}

// D19: the reference's own scheme is an alias when read, and never written.
const neutral = (ref: string): string => ref.replace(/^cerbos:\/\/\//, "authz:///");
