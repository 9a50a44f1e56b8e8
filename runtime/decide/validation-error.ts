/** A violation of a schema by the attributes of an input. */

export interface ValidationError {
  /** JSON pointer to the attribute; "/" for the attributes as a whole; "" if the schema itself could not be loaded. */
  readonly path: string;
  readonly message: string;
  readonly source: "SOURCE_PRINCIPAL" | "SOURCE_RESOURCE";
}
