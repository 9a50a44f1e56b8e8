/** A constraint that a well-formed request violates, in the shape of buf.validate (D6). */
import { printPlace, type Field, type Place } from "./field.ts";

/** The constraints, as buf.validate names them. */
export type RuleId =
  | "required"
  | "string.min_len"
  | "string.max_len"
  | "string.pattern"
  | "string.regexp"
  | "repeated.unique"
  | "repeated.max_items"
  | "exclusiveFieldsJwtOrJwts";

/** One violated constraint. */
export interface Violation {
  readonly field: { readonly elements: readonly FieldElement[] };
  readonly fieldPath: string;
  readonly ruleId: RuleId;
  readonly message: string;
}

/** One step of a field's path, with the list index or map key if it has one; 64-bit numbers are strings in JSON. */
type FieldElement = Field & { readonly index?: string; readonly stringKey?: string };

/** Builds the violation of a rule at a path. */
export const violation = (place: Place, ruleId: RuleId, message: string): Violation => ({
  field: { elements: place.map(element) },
  fieldPath: printPlace(place),
  ruleId,
  message,
});

function element({ field, index, key }: Place[number]): FieldElement {
  const { fieldNumber, fieldName, fieldType } = field;
  const named = { fieldNumber, fieldName, fieldType };
  if (index !== undefined) return { ...named, index: String(index) };
  if (key !== undefined) return { ...field, stringKey: key };
  return named;
}
