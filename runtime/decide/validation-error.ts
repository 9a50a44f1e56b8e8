/** What a schema finds wrong with the attributes of an input. */

/** What a schema finds wrong with an attribute. */
export interface ValidationError {
  /** JSON pointer of the attribute; "/" is all of them; "" when the schema itself could not be loaded. */
  readonly path: string;
  readonly message: string;
  readonly source: "SOURCE_PRINCIPAL" | "SOURCE_RESOURCE";
}
