/** Which conformance cases do not apply, and why: a decision (Dnn), or the work that will bring them. A row that matches nothing is an error. */
export interface NotApplicable {
  /** A case id, `*` standing for any run of characters. */
  readonly id: string;
  /** The row is only for cases that need protobuf. */
  readonly needsProtobuf?: true;
  readonly because: string;
}

export const notApplicable: readonly NotApplicable[] = [
  { id: "plan/*", because: "D60" },
  { id: "server/plan_resources/*", because: "D60" },
  { id: "server/authzen/*", because: "D60" },
  { id: "server/playground/*", because: "D60" },
  { id: "parser/wkt*", because: "D61" },
  { id: "cel-spec/*", needsProtobuf: true, because: "D62" },
  { id: "cel-spec/fields/qualified_identifier_resolution/map_key_float", because: "D45" },
  { id: "cel-spec/fields/qualified_identifier_resolution/map_value_repeat_key", because: "D45" },
  { id: "cel-spec/fields/qualified_identifier_resolution/map_value_repeat_key_heterogeneous", because: "D45" },
  { id: "cel-spec/string_ext/value_errors/indexof_out_of_range", because: "D45" },
  { id: "cel-spec/string_ext/value_errors/lastindexof_out_of_range", because: "D45" },
];
