/** The fields that surround every policy, whatever its type. */
import type { JsonObject } from "../../runtime/cel/value.ts";
import type { Source } from "../source.ts";
import { mapOf, type MapValue } from "../yaml/collection.ts";
import { record } from "../yaml/record.ts";
import { boolean, json, string, wholeNumber, type Pattern } from "../yaml/scalar.ts";
import { required, type Placed, type Read } from "../yaml/shape.ts";
import type { PolicyDocument } from "./document.ts";
import { variableMap } from "./variables.ts";

/** What the reader of a policy type needs of its envelope. */
export interface Envelope {
  readonly document: Pick<PolicyDocument, "source" | "span" | "head" | "description" | "isDisabled" | "isBroken" | "sourceAttributes">;
  /** The deprecated top-level variables. */
  readonly variables?: MapValue<Placed<string>>;
}

// D19: the original name is accepted as an alias.
const apiVersion: Pattern = { expression: /^api\.(?:authz|cerbos)\.dev\/v1$/, description: "`api.authz.dev/v1`" };

// Accepted because stores write these fields to files. Only the source attributes are used, in audit entries.
const metadata = record({
  sourceFile: string(),
  annotations: mapOf(string()),
  hash: wholeNumber,
  storeIdentifer: string(),
  storeIdentifier: string(),
  sourceAttributes: record({ attributes: mapOf(json) }),
});

/** The fields of every policy; the field with the policy itself is added to these. */
export const envelopeFields = {
  $schema: string(),
  apiVersion: required(string(apiVersion)),
  description: string(),
  disabled: boolean,
  metadata,
  variables: variableMap,
} as const;

/** The origin of a policy for audit entries: attributes of its file, overridden by those of the store (semantics 1.9). */
export function sourceAttributesOf(written: Read<typeof metadata> | undefined, source: Source): JsonObject {
  const entries = written?.fields.sourceAttributes?.fields.attributes?.entries ?? [];
  if (entries.length === 0 && source.attributes !== undefined) return source.attributes;
  // Object.fromEntries defines own properties, so a key `__proto__` is ordinary data.
  return Object.fromEntries([
    ...entries.map(({ key, value }) => [key.value, value.value] as const),
    ...Object.entries(source.attributes ?? {}),
  ]);
}
