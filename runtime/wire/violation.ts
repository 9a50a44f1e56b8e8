/** A constraint that a well-formed request breaks, in the shape that buf.validate gives it (D6). */
import { printPlace, type Field, type Place } from "./field.ts";

/** The rules, as buf.validate names them. */
export type RuleId =
  | "required"
  | "string.min_len"
  | "string.max_len"
  | "string.pattern"
  | "string.regexp"
  | "repeated.unique"
  | "repeated.max_items"
  | "exclusiveFieldsJwtOrJwts";

/** One broken constraint. */
export interface Violation {
  readonly field: { readonly elements: readonly FieldElement[] };
  readonly fieldPath: string;
  readonly ruleId: RuleId;
  readonly message: string;
}

/** A field, with the item or entry of it that is meant; 64-bit numbers are strings in JSON. */
type FieldElement = Field & { readonly index?: string; readonly stringKey?: string };

/** Makes the violation of one rule at one place. */
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
