/** The typed expressions of the official suites that do not get cel-go's type here: each by its id, with the reason. */

/** One reason, and the cases that it keeps out: the section, and the names in it. */
export interface LeftOut {
  readonly because: string;
  /** What such a case mentions; one that does not is here by mistake. */
  readonly mentions: RegExp;
  readonly cases: readonly (readonly [section: string, names: string])[];
}

export const leftOut: readonly LeftOut[] = [
  {
    because: "needs protobuf messages, enums or wrappers, which no policy can name (D62)",
    mentions:
      /Value\{|NullValue|TestAll|google\.protobuf\.(?!Timestamp\b|Duration\b)|google\.(?:expr|type)|cel\.expr|GlobalEnum|NestedEnum|wrapper\(|any\b|proto[23]/,
    cases: [
      ["conformance/comparisons/eq_literal", "eq_dyn_json_null not_eq_dyn_proto2_msg_null not_eq_dyn_proto3_msg_null"],
      [
        "conformance/comparisons/eq_wrapper",
        "eq_bool eq_bool_empty eq_bool_not_null eq_bool_proto2_null eq_bool_proto3_null eq_bytes eq_bytes_empty eq_bytes_not_null eq_bytes_proto2_null eq_bytes_proto3_null eq_double eq_double_empty eq_double_not_null eq_double_proto2_null eq_double_proto3_null eq_float eq_float_empty eq_float_not_null eq_float_proto2_null eq_float_proto3_null eq_int32 eq_int32_empty eq_int32_not_null eq_int32_proto2_null eq_int32_proto3_null eq_int64 eq_int64_empty eq_int64_not_null eq_int64_proto2_null eq_int64_proto3_null eq_string eq_string_empty eq_string_not_null eq_string_proto2_null eq_string_proto3_null eq_uint32 eq_uint32_empty eq_uint32_not_null eq_uint32_proto2_null eq_uint32_proto3_null eq_uint64 eq_uint64_empty eq_uint64_not_null eq_uint64_proto2_null eq_uint64_proto3_null eq_proto2 eq_proto3 eq_proto2_missing_fields_neq eq_proto3_missing_fields_neq eq_proto_nan_equal eq_proto_different_types eq_proto2_any_unpack_equal eq_proto2_any_unpack_not_equal eq_proto2_any_unpack_bytewise_fallback_not_equal eq_proto2_any_unpack_bytewise_fallback_equal eq_proto3_any_unpack_equal eq_proto3_any_unpack_not_equal eq_proto3_any_unpack_bytewise_fallback_not_equal eq_proto3_any_unpack_bytewise_fallback_equal",
      ],
      [
        "conformance/comparisons/ne_literal",
        "ne_proto2 ne_proto3 ne_proto2_missing_fields_neq ne_proto3_missing_fields_neq ne_proto_nan_not_equal ne_proto_different_types ne_proto2_any_unpack ne_proto2_any_unpack_bytewise_fallback ne_proto3_any_unpack ne_proto3_any_unpack_bytewise_fallback",
      ],
      [
        "conformance/dynamic/int32",
        "literal literal_zero var field_assign_proto2 field_assign_proto2_zero field_assign_proto2_max field_assign_proto2_min field_assign_proto2_range field_read_proto2 field_read_proto2_zero field_read_proto2_unset field_assign_proto3 field_assign_proto3_zero field_assign_proto3_max field_assign_proto3_min field_assign_proto3_range field_read_proto3 field_read_proto3_zero field_read_proto3_unset",
      ],
      [
        "conformance/dynamic/int64",
        "literal literal_zero var field_assign_proto2 field_assign_proto2_zero field_assign_proto3 field_assign_proto3_zero",
      ],
      [
        "conformance/dynamic/uint32",
        "literal literal_zero var field_assign_proto2 field_assign_proto2_zero field_assign_proto2_max field_assign_proto2_range field_assign_proto3 field_assign_proto3_zero field_assign_proto3_max field_assign_proto3_range field_read_proto2 field_read_proto2_zero field_read_proto2_unset",
      ],
      [
        "conformance/dynamic/uint64",
        "literal literal_zero var field_assign_proto2 field_assign_proto2_zero field_assign_proto3 field_assign_proto3_zero field_read_proto2 field_read_proto2_zero field_read_proto2_unset",
      ],
      [
        "conformance/dynamic/float",
        "literal literal_not_double literal_zero var field_assign_proto2 field_assign_proto2_zero field_assign_proto2_subnorm field_assign_proto2_round_to_zero field_assign_proto2_range field_read_proto2 field_read_proto2_zero field_read_proto2_unset field_assign_proto3 field_assign_proto3_zero field_assign_proto2_subnorm#2 field_assign_proto3_round_to_zero field_assign_proto3_range field_read_proto3 field_read_proto3_zero field_read_proto3_unset",
      ],
      [
        "conformance/dynamic/double",
        "literal literal_zero var field_assign_proto2 field_assign_proto2_zero field_assign_proto2_range field_read_proto2 field_read_proto2_zero field_read_proto2_unset field_assign_proto3 field_assign_proto3_zero field_assign_proto3_range field_read_proto3 field_read_proto3_zero field_read_proto3_unset",
      ],
      [
        "conformance/dynamic/bool",
        "literal literal_empty var field_assign_proto2 field_assign_proto2_false field_assign_proto3 field_assign_proto3_false",
      ],
      [
        "conformance/dynamic/string",
        "literal literal_empty literal_unicode var field_assign_proto2 field_assign_proto2_empty field_assign_proto3 field_assign_proto3_empty",
      ],
      [
        "conformance/dynamic/bytes",
        "literal literal_empty literal_unicode var field_assign_proto2 field_assign_proto2_empty field_assign_proto3 field_assign_proto3_empty",
      ],
      [
        "conformance/dynamic/list",
        "literal literal_empty var field_assign_proto2 field_assign_proto2_empty field_read_proto2 field_read_proto2_empty field_read_proto2_unset field_assign_proto3 field_assign_proto3_empty field_read_proto3 field_read_proto3_empty field_read_proto3_unset",
      ],
      [
        "conformance/dynamic/struct",
        "literal literal_no_field_access literal_empty var field_assign_proto2 field_assign_proto2_empty field_read_proto2 field_read_proto2_empty field_read_proto2_unset field_assign_proto3 field_assign_proto3_empty field_read_proto3 field_read_proto3_empty field_read_proto3_unset",
      ],
      [
        "conformance/dynamic/value_null",
        "literal literal_no_field_access literal_unset var field_assign_proto2 field_read_proto2 field_read_proto2_unset field_assign_proto3 field_read_proto3 field_read_proto3_unset",
      ],
      [
        "conformance/dynamic/value_number",
        "literal literal_no_field_access literal_zero var field_assign_proto2 field_assign_proto2_zero field_read_proto2 field_read_proto2_zero field_assign_proto3 field_assign_proto3_zero field_read_proto3 field_read_proto3_zero",
      ],
      [
        "conformance/dynamic/value_string",
        "literal literal_no_field_access literal_empty var field_assign_proto2 field_assign_proto2_empty field_read_proto2 field_read_proto2_zero field_assign_proto3 field_assign_proto3_empty field_read_proto3 field_read_proto3_zero",
      ],
      [
        "conformance/dynamic/value_bool",
        "literal literal_no_field_access literal_false var field_assign_proto2 field_assign_proto2_false field_read_proto2 field_read_proto2_false field_assign_proto3 field_assign_proto3_false field_read_proto3 field_read_proto3_false",
      ],
      [
        "conformance/dynamic/value_struct",
        "literal literal_no_field_access literal_empty var field_assign_proto2 field_assign_proto2_empty field_read_proto2 field_read_proto2_empty field_assign_proto3 field_assign_proto3_empty field_read_proto3 field_read_proto3_empty",
      ],
      [
        "conformance/dynamic/value_list",
        "literal literal_no_field_access literal_empty var field_assign_proto2 field_assign_proto2_empty field_read_proto2 field_read_proto2_empty field_assign_proto3 field_assign_proto3_empty field_read_proto3 field_read_proto3_empty",
      ],
      [
        "conformance/dynamic/any",
        "literal literal_no_field_access literal_empty var field_assign_proto2 field_read_proto2 field_assign_proto3 field_read_proto3",
      ],
      ["conformance/dynamic/complex", "any_list_map"],
      [
        "conformance/enums/legacy_proto2",
        "literal_global literal_nested literal_zero comparison arithmetic type_global type_nested select_default field_type assign_standalone_name assign_standalone_int assign_standalone_int_too_big assign_standalone_int_too_neg access_repeated_enum assign_repeated_enum list_enum_as_list_int enum_as_int",
      ],
      [
        "conformance/enums/legacy_proto3",
        "literal_global literal_nested literal_zero comparison arithmetic type_global type_nested select_default select select_big select_neg field_type assign_standalone_name assign_standalone_int assign_standalone_int_big assign_standalone_int_neg assign_standalone_int_too_big assign_standalone_int_too_neg access_repeated_enum assign_repeated_enum list_enum_as_list_int enum_as_int",
      ],
      [
        "conformance/enums/strong_proto2",
        "literal_global literal_nested literal_zero comparison_true comparison_false type_global type_nested select_default field_type assign_standalone_name convert_symbol_to_int",
      ],
      [
        "conformance/enums/strong_proto3",
        "literal_global literal_nested literal_zero comparison_true comparison_false type_global type_nested select_default select select_big select_neg field_type assign_standalone_name convert_symbol_to_int convert_unnamed_to_int_select",
      ],
      ["conformance/parse/nest", "message_literal"],
      ["conformance/parse/repeat", "select message_literal"],
      ["conformance/parse/whitespace", "spaces tabs new_lines new_pages carriage_returns"],
      ["conformance/parse/comments", "new_line_terminated"],
      [
        "conformance/parse/struct_field_names",
        "as break const continue else for function if import let loop package namespace return var void while",
      ],
      [
        "conformance/proto2/literal_singular",
        "int64_nocontainer int32 int32_eq_uint not_int32_eq_uint int32_eq_double not_int32_eq_double int64 uint32 uint32_eq_int not_uint32_eq_int uint32_eq_double not_uint32_eq_double uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 float float_eq_int not_float_eq_int float_eq_uint not_float_eq_uint double bool string bytes",
      ],
      [
        "conformance/proto2/literal_wellknown",
        "any duration timestamp struct value int64_wrapper int32_wrapper double_wrapper float_wrapper uint64_wrapper uint32_wrapper string_wrapper bool_wrapper bytes_wrapper",
      ],
      ["conformance/proto2/singular_bind", "int32 int64"],
      [
        "conformance/proto2/empty_field",
        "scalar_with_default scalar_no_default nested_message nested_message_subfield wkt repeated_scalar repeated_enum repeated_nested map",
      ],
      [
        "conformance/proto2/has",
        "repeated_none_implicit repeated_none_explicit repeated_one repeated_many map_none_implicit map_none_explicit map_one_default map_one map_many required optional_unset_no_default optional_set_no_default optional_unset_with_default optional_set_with_default optional_set_to_default optional_message_unset optional_message_set optional_enum_unset optional_enum_set optional_enum_set_zero oneof_unset oneof_other_set oneof_set oneof_set_default",
      ],
      ["conformance/proto2/set_null", "single_message single_any single_value single_duration single_timestamp"],
      [
        "conformance/proto2_ext/has_ext",
        "package_scoped_int32 package_scoped_nested_ext package_scoped_test_all_types_ext package_scoped_test_all_types_nested_enum_ext package_scoped_repeated_test_all_types message_scoped_int64 message_scoped_nested_ext message_scoped_nested_enum_ext message_scoped_repeated_test_all_types",
      ],
      [
        "conformance/proto2_ext/get_ext",
        "package_scoped_int32 package_scoped_nested_ext package_scoped_test_all_types_ext package_scoped_test_all_types_nested_enum_ext package_scoped_repeated_test_all_types message_scoped_int64 message_scoped_nested_ext message_scoped_nested_enum_ext message_scoped_repeated_test_all_types",
      ],
      [
        "conformance/proto3/literal_singular",
        "int64_nocontainer int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 float double bool string bytes",
      ],
      [
        "conformance/proto3/literal_wellknown",
        "any duration timestamp struct value int64_wrapper int32_wrapper double_wrapper float_wrapper uint64_wrapper uint32_wrapper string_wrapper bool_wrapper bytes_wrapper",
      ],
      ["conformance/proto3/singular_bind", "int32 int64"],
      [
        "conformance/proto3/empty_field",
        "scalar nested_message nested_message_subfield wkt repeated_scalar repeated_enum repeated_nested map",
      ],
      [
        "conformance/proto3/has",
        "repeated_none_implicit repeated_none_explicit repeated_one repeated_many map_none_implicit map_none_explicit map_one_default map_one map_many single_unset single_set single_set_to_default single_message_unset single_message_set single_message_set_to_default single_enum_unset single_enum_set single_enum_set_zero oneof_unset oneof_other_set oneof_set oneof_set_default",
      ],
      ["conformance/proto3/set_null", "single_message single_any single_value single_duration single_timestamp"],
      ["conformance/type_deductions/complex_initializers", "struct"],
      [
        "conformance/type_deductions/field_access",
        "int_field repeated_int_field map_bool_int enum_field repeated_enum_field enum_map_field",
      ],
      [
        "conformance/type_deductions/flexible_type_parameter_assignment",
        "comprehension_type_var_aliasing overload_type_var_aliasing list_parameters_do_not_unify",
      ],
      [
        "conformance/type_deductions/wrappers",
        "wrapper_promotion wrapper_promotion_2 wrapper_dyn_promotion wrapper_dyn_promotion_2 wrapper_primitive_assignable wrapper_null_assignable wrapper_ternary_parameter_assignment wrapper_ternary_parameter_assignment_2",
      ],
      [
        "conformance/type_deductions/legacy_nullable_types",
        "null_assignable_to_duration_parameter_candidate null_assignable_to_timestamp_parameter_candidate",
      ],
      ["conformance/wrappers/bool", "to_any to_json to_null"],
      ["conformance/wrappers/int32", "to_any to_json to_null"],
      ["conformance/wrappers/int64", "to_any to_json_number to_json_string to_null"],
      ["conformance/wrappers/uint32", "to_any to_json to_null"],
      ["conformance/wrappers/uint64", "to_any to_json_number to_json_string to_null"],
      ["conformance/wrappers/float", "to_any to_json to_null"],
      ["conformance/wrappers/double", "to_any to_json to_null"],
      ["conformance/wrappers/bytes", "to_any to_json to_null"],
      ["conformance/wrappers/string", "to_any to_json to_null"],
      ["conformance/wrappers/value", "default_to_json"],
      ["conformance/wrappers/list_value", "literal_to_any"],
      ["conformance/wrappers/struct", "literal_to_any"],
      ["conformance/wrappers/field_mask", "to_json"],
      ["conformance/wrappers/duration", "to_json"],
      ["conformance/wrappers/timestamp", "to_json"],
      ["conformance/wrappers/empty", "to_json"],
      ["checking", "#31 #45 #46 #47 #49 #52 #53 #54 #56 #57 #59 #60 #62 #64 #65 #66 #67 #69 #72 #73 #75 #76 #81 #82 #93 #94 #95 #116"],
    ],
  },
  {
    because: "`cel.block` is a tool of cel-go's optimiser, not of the language (D62)",
    mentions: /cel\.block|cel\.iterVar/,
    cases: [
      [
        "conformance/block_ext/basic",
        "int_add size_1 size_2 size_3 size_4 timestamp map_index nested_map_construction nested_list_construction select select_nested_1 select_nested_2 select_nested_message_map_index_1 select_nested_message_map_index_2 ternary nested_ternary inclusion_list inclusion_map presence_test presence_test_2 presence_test_with_ternary presence_test_with_ternary_2 presence_test_with_ternary_3 presence_test_with_ternary_nested call",
      ],
    ],
  },
];

/** Gets cel-go's type, and is refused nevertheless: a constant that can only fail is reported before anything is evaluated (semantics 7). */
export const refusedConstants: readonly (readonly [section: string, names: string])[] = [
  ["conformance/timestamps/timestamp_range", "from_string_under from_string_over"],
  ["conformance/timestamps/duration_range", "from_string_under from_string_over add_under add_over sub_under sub_over"],
];
