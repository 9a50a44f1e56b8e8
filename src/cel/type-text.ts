/** Parses type declarations: `int`, `list(string)`, `map(string, dyn)`, and `json` for values from JSON. */
import { parse } from "../../compiler/cel/parse.ts";
import { anyType, jsonType, listType, type ValueType, typeOfChecked } from "../../compiler/emit/value-type.ts";
import type { Expression } from "../../runtime/cel/ast.ts";
import * as types from "../../runtime/cel/type.ts";
import type { Type } from "../../runtime/cel/type.ts";

/** The declaration of a variable. */
export interface VariableType {
  /** The type for the checker. */
  readonly type: Type;
  /** What generated code may assume about the value. */
  readonly holds: ValueType;
  /** Whether values came from JSON: they are used as they are; others are converted. */
  readonly isJson: boolean;
}

/** Parses the type of a variable; undefined when it is malformed. */
export function readType(text: string): VariableType | undefined {
  const { tree } = parse(text);
  return tree === undefined ? undefined : typeOfTree(tree);
}

const simple: ReadonlyMap<string, Type> = new Map<string, Type>([
  ["bool", types.bool],
  ["int", types.int],
  ["uint", types.uint],
  ["double", types.double],
  ["string", types.string],
  ["bytes", types.bytes],
  ["null_type", types.nullType],
  ["timestamp", types.timestamp],
  ["google.protobuf.Timestamp", types.timestamp],
  ["duration", types.duration],
  ["google.protobuf.Duration", types.duration],
  ["type", types.typeOf()],
]);

function typeOfTree(tree: Expression): VariableType | undefined {
  const name = nameOf(tree);
  if (name === "json") return { type: types.dyn, holds: jsonType, isJson: true };
  if (name === "dyn") return { type: types.dyn, holds: anyType, isJson: false };
  const type = name === undefined ? undefined : simple.get(name);
  if (type !== undefined) return { type, holds: typeOfChecked(type), isJson: false };
  if (tree.kind !== "call" || tree.target !== undefined) return undefined;
  const parts = tree.args.map(typeOfTree).filter((part) => part !== undefined);
  if (parts.length !== tree.args.length) return undefined;
  const [first, second] = parts;
  if (tree.function === "list" && first !== undefined && second === undefined) {
    return { type: types.listOf(first.type), holds: listType(first.holds), isJson: first.isJson };
  }
  if (tree.function === "optional_type" && first !== undefined && second === undefined) {
    return { type: types.optionalOf(first.type), holds: anyType, isJson: false };
  }
  if (tree.function !== "map" || first === undefined || second === undefined || parts.length > 2) return undefined;
  const isJson = first.type.kind === "string" && second.isJson;
  return { type: types.mapOf(first.type, second.type), holds: isJson ? jsonType : anyType, isJson };
}

/** Returns the dotted name that an expression spells, such as `google.protobuf.Timestamp`; undefined when it is none. */
export function nameOf(tree: Expression | undefined): string | undefined {
  if (tree?.kind === "literal") return tree.value === null ? "null_type" : undefined;
  if (tree?.kind === "identifier") return tree.name;
  if (tree?.kind !== "select") return undefined;
  const before = nameOf(tree.operand);
  return before === undefined ? undefined : `${before}.${tree.field}`;
}
