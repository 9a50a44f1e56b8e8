/** Reads the official CEL cases: from the package `@bufbuild/cel-spec`, and from the project's conformance folder where there is one. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
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
  readonly suite: string;
  readonly expression: string;
  readonly container: string;
  readonly variables: ReadonlyMap<string, Type>;
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  readonly macros: boolean;
  readonly checked: boolean;
  /** Evaluating it is an error. */
  readonly fails: boolean;
  readonly ast?: string | undefined;
  readonly checkedAst?: string | undefined;
  readonly type?: string | undefined;
  readonly error?: string | undefined;
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

export function packageCases(): readonly Case[] {
  return [getConformanceSuite(), getParsingSuite(), getComprehensionSuite(), getCheckingSuite()].flatMap((suite) =>
    suiteCases(suite, suite.name),
  );
}

const suiteCases = (suite: IncrementalTestSuite, path: string): readonly Case[] => [
  ...suite.tests.map((test) => packageCase(test, path)),
  ...suite.suites.flatMap((inner) => suiteCases(inner, `${path}/${inner.name}`)),
];

function packageCase({ original, ast, checkedAst, type, error }: IncrementalTest, suite: string): Case {
  const variables = new Map(suite === "checking" ? goDeclarations.variables : []);
  const functions = new Map(suite === "checking" ? goDeclarations.functions : []);
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
    suite,
    expression: original.expr,
    container: original.container,
    variables,
    functions,
    macros: !original.disableMacros,
    checked: !original.disableCheck,
    fails: original.resultMatcher.case === "evalError",
    ast,
    checkedAst,
    type,
    error,
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

/** Where the conformance folder is looked for: it is not part of the repository. */
export const conformanceFolder = join(
  process.env["AUTHZ_CONFORMANCE"] ?? join(import.meta.dirname, "../../../../shared/conformance"),
  "cel-spec",
);

export const hasConformanceFolder = existsSync(conformanceFolder);

/** The shape of the files, as far as it is read here. */
interface FolderFile {
  readonly suite: string;
  readonly sections: readonly { readonly name: string; readonly tests: readonly FolderTest[] }[];
}

interface FolderTest {
  readonly expr: string;
  readonly container?: string;
  readonly disable_check?: boolean;
  readonly disable_macros?: boolean;
  readonly type_env?: readonly {
    readonly ident?: string;
    readonly type?: string;
    readonly function?: string;
    readonly overloads?: readonly FolderOverload[];
  }[];
  readonly go_ast?: string;
  readonly go_checked_ast?: string;
  readonly go_type?: string;
  readonly go_error?: string;
  readonly want: { readonly error?: boolean; readonly messages?: readonly string[] };
}

interface FolderOverload {
  readonly id: string;
  readonly member: boolean;
  readonly params: readonly string[];
  readonly result: string;
}

export function folderCases(): readonly Case[] {
  return readdirSync(conformanceFolder)
    .filter((file) => file.endsWith(".json") && file !== "counts.json")
    .flatMap((file) => {
      // The data is ours; its shape is the one above.
      const { suite, sections }: FolderFile = JSON.parse(readFileSync(join(conformanceFolder, file), "utf8"));
      return sections.flatMap(({ name, tests }) => tests.map((test) => folderCase(test, `${suite}/${name}`)));
    });
}

function folderCase(test: FolderTest, suite: string): Case {
  const ofGo = suite.startsWith("cel-go-checking");
  const variables = new Map(ofGo ? goDeclarations.variables : []);
  const functions = new Map(ofGo ? goDeclarations.functions : []);
  for (const declared of test.type_env ?? []) {
    if (declared.ident !== undefined) variables.set(declared.ident, readType(declared.type ?? "dyn"));
    if (declared.function === undefined) continue;
    functions.set(
      declared.function,
      (declared.overloads ?? []).map(({ id, member, params, result }) => ({
        id,
        receiver: member,
        parameters: params.map(readType),
        result: readType(result),
      })),
    );
  }
  return {
    suite,
    expression: test.expr,
    container: test.container ?? "",
    variables,
    functions,
    macros: test.disable_macros !== true,
    checked: test.disable_check !== true,
    fails: test.want.error === true,
    ast: test.go_ast,
    checkedAst: test.go_checked_ast,
    type: test.go_type,
    error: test.go_type === undefined ? (test.go_error ?? test.want.messages?.[0]) : undefined,
  };
}

const simple: ReadonlyMap<string, Type> = new Map<string, Type>([
  ...[dyn, bool, int, uint, double, string, bytes, timestamp, duration].map((type) => [type.kind, type] as const),
  ["null", nullType],
]);

/** Reads `map(string, list(param(T)))`. */
function readType(text: string): Type {
  const tokens = text.match(/[A-Za-z_0-9.]+|[(),]/g) ?? [];
  let at = 0;
  const read = (): Type => {
    const name = tokens[at++] ?? "";
    const parts: Type[] = [];
    if (tokens[at] === "(") {
      for (; tokens[at] === "(" || tokens[at] === ",";) {
        at += 1;
        parts.push(read());
      }
      at += 1;
    }
    const [first = dyn, second = dyn] = parts;
    if (name === "list") return listOf(first);
    if (name === "map") return mapOf(first, second);
    if (name === "type") return typeOf(parts[0]);
    // The name of a message has been read as that of an opaque type, or of a type that is well known.
    if (name === "message") return first.kind === "opaque" ? message(first.name) : first;
    if (name === "param") return first.kind === "opaque" ? parameter(first.name) : first;
    return simple.get(name) ?? wellKnown.get(name) ?? (name.includes(".") ? message(name) : opaque(name, ...parts));
  };
  return read();
}
