/** What every policy has around it, whatever its type. */
import type { Source, Span } from "../source.ts";
import { mapOf, type MapValue } from "../yaml/collection.ts";
import { record } from "../yaml/record.ts";
import { boolean, json, text, wholeNumber, type Pattern } from "../yaml/scalar.ts";
import { required, type Placed } from "../yaml/shape.ts";
import { variableMap } from "./variables.ts";

/** What a policy's reader needs to know of its envelope. */
export interface Envelope {
  readonly document: { readonly source: Source; readonly span: Span; readonly head: Span; readonly description: string };
  /** The deprecated top-level variables. */
  readonly variables?: MapValue<Placed<string>>;
}

// D19: the reference's own name is an alias.
const apiVersion: Pattern = { expression: /^api\.(?:authz|cerbos)\.dev\/v1$/, says: "`api.authz.dev/v1`" };

// Accepted in files because stores write it there; nothing of it means anything to a decision.
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
