/** What every policy has around it, whatever its type. */
import type { JsonObject } from "../../runtime/cel/value.ts";
import type { Source } from "../source.ts";
import { mapOf, type MapValue } from "../yaml/collection.ts";
import { record } from "../yaml/record.ts";
import { boolean, json, text, wholeNumber, type Pattern } from "../yaml/scalar.ts";
import { required, type Placed, type Read } from "../yaml/shape.ts";
import type { PolicyDocument } from "./document.ts";
import { variableMap } from "./variables.ts";

/** What a policy's reader needs to know of its envelope. */
export interface Envelope {
  readonly document: Pick<PolicyDocument, "source" | "span" | "head" | "description" | "isDisabled" | "isBroken" | "sourceAttributes">;
  /** The deprecated top-level variables. */
  readonly variables?: MapValue<Placed<string>>;
}

// D19: the reference's own name is an alias.
const apiVersion: Pattern = { expression: /^api\.(?:authz|cerbos)\.dev\/v1$/, says: "`api.authz.dev/v1`" };

// Accepted in files because stores write it there; only the source attributes are seen again, in audit entries.
const metadata = record({
  sourceFile: text(),
  annotations: mapOf(text()),
  hash: wholeNumber,
  storeIdentifer: text(),
  storeIdentifier: text(),
  sourceAttributes: record({ attributes: mapOf(json) }),
});

/** The fields of every policy; the field that holds the policy itself comes beside them. */
export const envelopeFields = {
  $schema: text(),
  apiVersion: required(text(apiVersion)),
  description: text(),
  disabled: boolean,
  metadata,
  variables: variableMap,
} as const;

/** What audit entries say of where a policy came from: what its file says, and over that what the store says (semantics 1.9). */
export function sourceAttributesOf(written: Read<typeof metadata> | undefined, source: Source): JsonObject {
  const entries = written?.fields.sourceAttributes?.fields.attributes?.entries ?? [];
  if (entries.length === 0 && source.attributes !== undefined) return source.attributes;
  // fromEntries defines own properties, so that a key `__proto__` is data like any other.
  return Object.fromEntries([
    ...entries.map(({ key, value }) => [key.value, value.value] as const),
    ...Object.entries(source.attributes ?? {}),
  ]);
}
