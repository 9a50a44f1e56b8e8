/** Reads the official CEL cases of the package `@bufbuild/cel-spec`, each with an id of its own. */
import type { Type as ProtoType } from "@bufbuild/cel-spec/cel/expr/checked_pb.js";
import { Type_PrimitiveType, Type_WellKnownType } from "@bufbuild/cel-spec/cel/expr/checked_pb.js";
import { getCheckingSuite, getComprehensionSuite, getConformanceSuite, getParsingSuite } from "@bufbuild/cel-spec/testdata/tests.js";
import type { IncrementalTest, IncrementalTestSuite } from "@bufbuild/cel-spec/testdata/tests.js";
import type { Overload } from "../../../compiler/cel/environment.ts";
import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  listOf,
  mapOf,
  message,
  nullType,
  opaque,
  parameter,
  string,
  timestamp,
  typeOf,
  uint,
} from "../../../runtime/cel/type.ts";
import type { Type } from "../../../runtime/cel/type.ts";

/** One case: an expression, where it is checked, and what cel-go made of it. */
export interface Case {
  /** Suite, section and name; where the package gives no name, or the same one twice, a number. */
  readonly id: string;
  readonly expression: string;
  readonly container: string;
  readonly variables: ReadonlyMap<string, Type>;
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  readonly macros: boolean;
  readonly ast?: string | undefined;
  readonly checkedAst?: string | undefined;
  readonly type?: string | undefined;
  readonly error?: string | undefined;
  /** The test itself: what it binds and wants. */
  readonly original: IncrementalTest["original"];
}

/** What the checker tests of cel-go declare for every case, without saying so in the data. */
const goDeclarations: Pick<Case, "variables" | "functions"> = {
  variables: new Map<string, Type>([
    ["is", string],
    ["ii", int],
    ["iu", uint],
    ["iz", bool],
    ["ib", bytes],
    ["id", double],
    ["ix", nullType],
  ]),
  functions: new Map([
    ["fg_s", [{ id: "fg_s_0", receiver: false, parameters: [], result: string }]],
    ["fi_s_s", [{ id: "fi_s_s_0", receiver: true, parameters: [string], result: string }]],
  ]),
};

/** Returns all cases of the package's four suites. */
export function packageCases(): readonly Case[] {
  return [getConformanceSuite(), getParsingSuite(), getComprehensionSuite(), getCheckingSuite()].flatMap((suite) =>
    suiteCases(suite, suite.name),
  );
}

function suiteCases(suite: IncrementalTestSuite, path: string): readonly Case[] {
  const taken = new Map<string, number>();
  const own = suite.tests.map((test) => {
    const { name } = test.original;
    const times = (taken.get(name) ?? 0) + 1;
    taken.set(name, times);
    return packageCase(test, `${path}/${name}${name === "" || times > 1 ? `#${times}` : ""}`);
  });
  return [...own, ...suite.suites.flatMap((inner) => suiteCases(inner, `${path}/${inner.name}`))];
}

function packageCase({ original, ast, checkedAst, type, error }: IncrementalTest, id: string): Case {
  const ofGo = id.startsWith("checking/");
  const variables = new Map(ofGo ? goDeclarations.variables : []);
  const functions = new Map(ofGo ? goDeclarations.functions : []);
  for (const { name, declKind } of original.typeEnv) {
    if (declKind.case === "ident") variables.set(name, fromProto(declKind.value.type));
    if (declKind.case === "function") {
      functions.set(
        name,
        declKind.value.overloads.map((overload) => ({
          id: overload.overloadId,
          receiver: overload.isInstanceFunction,
          parameters: overload.params.map(fromProto),
          result: fromProto(overload.resultType),
        })),
      );
    }
  }
  return {
    id,
    expression: original.expr,
    container: original.container,
    variables,
    functions,
    macros: !original.disableMacros,
    ast,
    checkedAst,
    type,
    error,
    original,
  };
}

const primitives: Readonly<Record<number, Type>> = {
  [Type_PrimitiveType.BOOL]: bool,
  [Type_PrimitiveType.INT64]: int,
  [Type_PrimitiveType.UINT64]: uint,
  [Type_PrimitiveType.DOUBLE]: double,
  [Type_PrimitiveType.STRING]: string,
  [Type_PrimitiveType.BYTES]: bytes,
};

const wellKnown: ReadonlyMap<string, Type> = new Map<string, Type>([
  ["google.protobuf.Timestamp", timestamp],
  ["google.protobuf.Duration", duration],
]);

function fromProto(type: ProtoType | undefined): Type {
  const kind = type?.typeKind;
  switch (kind?.case) {
    case "null":
      return nullType;
    case "primitive":
      return primitives[kind.value] ?? dyn;
    case "wellKnown":
      return kind.value === Type_WellKnownType.TIMESTAMP ? timestamp : kind.value === Type_WellKnownType.DURATION ? duration : dyn;
    case "listType":
      return listOf(fromProto(kind.value.elemType));
    case "mapType":
      return mapOf(fromProto(kind.value.keyType), fromProto(kind.value.valueType));
    case "typeParam":
      return parameter(kind.value);
    case "messageType":
      return wellKnown.get(kind.value) ?? message(kind.value);
    case "type":
      return typeOf(fromProto(kind.value));
    case "abstractType":
      return opaque(kind.value.name, ...kind.value.parameterTypes.map(fromProto));
    default:
      return dyn;
  }
}
