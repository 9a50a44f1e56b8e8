/** Descriptions and examples of what the parser itself implements: macros, field access, presence tests. */
import type { Example } from "../declare.ts";

/** One form of a macro. */
export interface MacroEntry {
  /** The macro's name in the parser; absent for syntax such as `a.b`. */
  readonly name?: string;
  readonly form: string;
  readonly says: string;
  readonly examples: readonly Example[];
}

export const macroEntries: readonly MacroEntry[] = [
  {
    form: "a.b",
    says: "A field of a record, or the value for a key of a map; an error if it does not exist.",
    examples: [
      ['{"b": 1}.b', "1"],
      ['{"b": 1}.c', "error: no such key"],
    ],
  },
  {
    name: "has",
    form: "has(a.b)",
    says: "Whether a field exists, even if it is null. If `a` itself does not exist, that is an error, so test each step: `has(a.b) && has(a.b.c)`.",
    examples: [
      ['has({"b": null}.b)', "true"],
      ['has({"b": 1}.c)', "false"],
      ["has({}.a.b)", "error: no such key"],
    ],
  },
  {
    name: "all",
    form: "list.all(x, condition)",
    says: "Whether a condition is true for every element, or for every key of a map. If it is false for one, the result is false, even if there are errors for others.",
    examples: [
      ["[1, 2].all(x, x > 0)", "true"],
      ["[].all(x, x > 0)", "true"],
      ["[1, 0].all(x, 1 / x > 1)", "false"],
    ],
  },
  {
    name: "exists",
    form: "list.exists(x, condition)",
    says: "Whether a condition is true for at least one element, or key of a map. If it is, the result is true, even if there are errors for others.",
    examples: [
      ["[1, 2].exists(x, x > 1)", "true"],
      ['{"a": 1}.exists(key, key == "a")', "true"],
      ["[0, 1].exists(x, 1 / x == 1)", "true"],
    ],
  },
  {
    name: "exists_one",
    form: "list.exists_one(x, condition)",
    says: "Whether a condition is true for exactly one element. An error for any element is an error.",
    examples: [
      ["[1, 2].exists_one(x, x > 1)", "true"],
      ["[2, 2].exists_one(x, x > 1)", "false"],
      ["[0, 1].exists_one(x, 1 / x == 1)", "error: division by zero"],
    ],
  },
  {
    name: "filter",
    form: "list.filter(x, condition)",
    says: "The elements for which a condition is true; for a map, its keys.",
    examples: [["[1, 2, 3].filter(x, x > 1)", "[2, 3]"]],
  },
  {
    name: "map",
    form: "list.map(x, value)",
    says: "A list with a value for each element, or for each key of a map.",
    examples: [["[1, 2].map(x, x * 2)", "[2, 4]"]],
  },
  {
    name: "map",
    form: "list.map(x, condition, value)",
    says: "A list with a value for each element for which a condition is true.",
    examples: [["[1, 2].map(x, x > 1, x * 2)", "[4]"]],
  },
  {
    name: "sortBy",
    form: "list.sortBy(x, key)",
    says: "The elements in the order of their keys, which must all have the same type.",
    examples: [['["bb", "a"].sortBy(x, x.size())', '["a", "bb"]']],
  },
  {
    name: "all",
    form: "list.all(i, x, condition)",
    says: "The same, with the position and the value of each element, or the key and the value of each entry of a map.",
    examples: [
      ["[1, 2].all(i, x, x == i + 1)", "true"],
      ['{"a": 1}.all(key, value, value == 1)', "true"],
    ],
  },
  {
    name: "exists",
    form: "list.exists(i, x, condition)",
    says: "The same, with position and value, or with key and value.",
    examples: [['{"a": 1}.exists(key, value, key == "a" && value == 1)', "true"]],
  },
  {
    name: "existsOne",
    form: "list.existsOne(i, x, condition)",
    says: "The same, with position and value, or with key and value; `exists_one` is another name.",
    examples: [["[1, 1].existsOne(i, x, i == 0 && x == 1)", "true"]],
  },
  {
    name: "transformList",
    form: "list.transformList(i, x[, condition], value)",
    says: "A list with a value for each element, or for each entry of a map; with a condition, only for those for which it is true.",
    examples: [
      ["[1, 2].transformList(i, x, i + x)", "[1, 3]"],
      ["[1, 2].transformList(i, x, i > 0, x)", "[2]"],
    ],
  },
  {
    name: "transformMap",
    form: "map.transformMap(key, value[, condition], value)",
    says: "A map with the same keys and other values; for a list, the positions are the keys.",
    examples: [
      ['{"a": 1}.transformMap(key, value, value + 1)', '{"a": 2}'],
      ["[5].transformMap(i, x, x)", "{0: 5}"],
    ],
  },
  {
    name: "transformMapEntry",
    form: "map.transformMapEntry(key, value[, condition], {key: value})",
    says: "A map with other keys and values; a repeated key is an error.",
    examples: [
      ['{"a": 1}.transformMapEntry(key, value, {value: key})', '{1: "a"}'],
      ["[1, 1].transformMapEntry(i, x, {x: i})", "error: invalid argument"],
    ],
  },
  {
    name: "bind",
    form: "cel.bind(name, value, expression)",
    says: "An expression in which a name stands for a value. The value is evaluated once, and only if it is used.",
    examples: [
      ["cel.bind(x, 2, x * x)", "4"],
      ["cel.bind(x, 1 / 0, true)", "true"],
    ],
  },
  {
    name: "optMap",
    form: "optional.optMap(x, value)",
    says: "An optional with a value made from that of another; without a value, it stays without one.",
    examples: [
      ["optional.of(2).optMap(x, x * 2)", "optional.of(4)"],
      ["optional.none().optMap(x, x)", "optional.none()"],
    ],
  },
  {
    name: "optFlatMap",
    form: "optional.optFlatMap(x, optional)",
    says: "The optional made from the value of another; without a value, it stays without one.",
    examples: [['optional.of({"a": 1}).optFlatMap(x, x.?b)', "optional.none()"]],
  },
  {
    form: "[?optional], {?key: optional}",
    says: "An element or entry that exists only if the optional has a value.",
    examples: [
      ["[?optional.none(), 1]", "[1]"],
      ['{?"a": optional.of(1), ?"b": optional.none()}', '{"a": 1}'],
    ],
  },
];
