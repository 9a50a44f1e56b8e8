/** The official CEL suites: parsed, checked, evaluated by the interpreter and by generated code in all its variants, compared with what they want. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { check } from "../../../compiler/cel/check.ts";
import { standardEnvironment } from "../../../compiler/cel/environment.ts";
import type { Environment, Overload } from "../../../compiler/cel/environment.ts";
import { childrenOf, heightOf } from "../../../compiler/cel/children.ts";
import { standardMacros } from "../../../compiler/cel/macros.ts";
import { parse } from "../../../compiler/cel/parse.ts";
import { printAst } from "../../../compiler/cel/print-ast.ts";
import { anyType, typeOfChecked } from "../../../compiler/emit/value-type.ts";
import type { Expression } from "../../../runtime/cel/ast.ts";
import { EvalError } from "../../../runtime/cel/error.ts";
import { typeValues } from "../../../runtime/cel/evaluate/names.ts";
import { printValue } from "../../../runtime/cel/print-value.ts";
import { printType } from "../../../runtime/cel/type.ts";
import type { Type } from "../../../runtime/cel/type.ts";
import type { Value } from "../../../runtime/cel/value.ts";
import { type Subject, differences, interpreted } from "../../compiler/emit/ways.ts";
import type { Area, ConformanceCase } from "../area.ts";
import { resolveNames } from "./cel-spec-unchecked.ts";
import { readTagged, readType, same } from "./cel-spec-values.ts";
import type { Tagged } from "./cel-spec-values.ts";

interface Suite {
  readonly kind: string;
  readonly sections?: readonly { readonly tests: readonly SpecTest[] }[];
}

type Declaration =
  | { readonly ident: string; readonly type: string }
  | {
      readonly function: string;
      readonly overloads: readonly {
        readonly id: string;
        readonly params: readonly string[];
        readonly result: string;
        readonly member: boolean;
      }[];
    };

interface SpecTest {
  readonly id: string;
  readonly expr: string;
  readonly container?: string;
  readonly type_env?: readonly Declaration[];
  readonly bindings?: { readonly [name: string]: Tagged };
  readonly disable_check?: boolean;
  readonly check_only?: boolean;
  readonly go_ast?: string;
  readonly go_type?: string;
  readonly needs_proto: boolean;
  readonly want: { readonly value?: Tagged; readonly type?: string; readonly error?: true; readonly ast_only?: true };
}

export const celSpec: Area = {
  name: "cel-spec",
  *cases(folder): Iterable<ConformanceCase> {
    for (const file of readdirSync(join(folder, "cel-spec")).sort()) {
      // The edge where the suite's JSON becomes ours; its shape is the one that its README states.
      const suite = JSON.parse(readFileSync(join(folder, "cel-spec", file), "utf8")) as Suite;
      const evaluates = suite.kind?.startsWith("conformance") ?? false;
      for (const { tests } of suite.sections ?? []) {
        for (const test of tests) {
          const readOnly = /^(parser|two-variable)/.test(suite.kind ?? "");
          const needsProtobuf = !readOnly && (test.needs_proto || file === "block_ext.json");
          yield { id: test.id, needsProtobuf, run: () => (evaluates ? runEvaluation(test) : runFrontEnd(suite.kind, test)) };
        }
      }
    }
  },
};

/** The suites taken from cel-go's own tests of parser, macros and checker, made with the standard library alone. */
function runFrontEnd(kind: string, test: SpecTest): void {
  const { tree, issues } = parse(test.expr, standardMacros);
  if (test.go_ast === undefined) {
    demand(tree === undefined || isBeyondSuite(test.expr, tree), "it parses, but ought not to");
    return;
  }
  demand(tree !== undefined, `it does not parse: ${issues[0]?.message}`);
  const ast = printAst(tree);
  demand(squeeze(ast) === squeeze(test.go_ast), `its tree is ${ast}`);
  if (!kind.startsWith("type checker")) return;
  const {
    type,
    issues: [issue],
  } = check(tree, withoutExtensions(environmentOf(test)));
  if (test.want.error) demand(issue !== undefined, `it compiles, but ought not to; its type is ${printType(type)}`);
  else
    demand(
      issue === undefined && (test.go_type === undefined || printType(type) === test.go_type),
      `its type is ${printType(type)}; ${issue?.message}`,
    );
}

/** The suite was made without backquoted names and optional syntax, and with a parser that goes 32 levels deep. */
const isBeyondSuite = (text: string, tree: Expression): boolean => text.includes("`") || heightOf(tree) >= 32 || usesOptionalSyntax(tree);

/** Optional syntax is an extension too: `a.?b`, `a[?b]`, `[?a]`, `{?a: b}`. */
function usesOptionalSyntax(tree: Expression): boolean {
  const here =
    (tree.kind === "select" && tree.optional === true) ||
    (tree.kind === "call" && tree.function === "_[?_]") ||
    (tree.kind === "list" && tree.optionals.length > 0) ||
    (tree.kind === "map" && tree.entries.some((entry) => entry.optional)) ||
    (tree.kind === "struct" && tree.fields.some((field) => field.optional));
  return here || childrenOf(tree).some(usesOptionalSyntax);
}

// What cel-go's checker tests declare for themselves; the suite does not repeat it.
const ownVariables: ReadonlyMap<string, Type> = new Map(
  [
    ["is", "string"],
    ["ii", "int"],
    ["iu", "uint"],
    ["iz", "bool"],
    ["ib", "bytes"],
    ["id", "double"],
    ["ix", "null_type"],
  ].map(([name = "", type = ""]) => [name, readType(type)]),
);
const ownFunctions: readonly Overload[] = [{ id: "fg_s_0", receiver: false, parameters: [], result: readType("string") }];

const betweenKinds = /^(?:less|greater)(?:_equals)?_(?:int64|uint64|double)_(?:int64|uint64|double)$/;

const withoutExtensions = (environment: Environment): Environment => ({
  ...environment,
  variable: (name) => environment.variable(name) ?? ownVariables.get(name),
  functions: (name) => (name === "fg_s" ? ownFunctions : environment.functions(name).filter(({ id }) => !betweenKinds.test(id))),
});

const squeeze = (text: string): string => text.replaceAll(/\s+/g, "");

/** A test of meaning: the value or an error, by every way of evaluation, and the type where it is stated. */
function runEvaluation(test: SpecTest): void {
  const outcome = evaluateTest(test);
  if (test.want.error) {
    demand(typeof outcome === "string", `it is ${typeof outcome === "string" ? "" : describe(outcome)}, but ought to fail`);
    return;
  }
  if (typeof outcome === "string") throw new Error(outcome);
  if (test.want.type !== undefined && outcome.type !== undefined) {
    const wanted = printType(readType(test.want.type));
    demand(printType(outcome.type) === wanted, `its type is ${printType(outcome.type)}, not ${wanted}`);
  }
  if (test.check_only) return;
  const wanted = readTagged(test.want.value ?? { bool: true });
  demand(outcome.value !== undefined && same(outcome.value, wanted), `it is ${describe(outcome)}, not ${printValue(wanted)}`);
}

interface Outcome {
  readonly value?: Value;
  readonly type?: Type;
}

const describe = ({ value, type }: Outcome): string =>
  value !== undefined ? printValue(value) : `of type ${type === undefined ? "unknown" : printType(type)}`;

/** Returns what a test comes to, or why it comes to nothing. */
function evaluateTest(test: SpecTest): Outcome | string {
  const bindings = new Map(Object.entries(test.bindings ?? {}).map(([name, tagged]) => [name, readTagged(tagged)]));
  const { tree, issues } = parse(test.expr);
  if (tree === undefined) return `it does not parse: ${issues[0]?.message}`;
  const checked: { readonly tree: Expression; readonly type?: Type } | string = test.disable_check
    ? { tree: resolveNames(tree, test.container ?? "", (name) => bindings.has(name) || typeValues.has(name)) }
    : checkTest(tree, test);
  if (typeof checked === "string") return checked;
  const typed = checked.type === undefined ? {} : { type: checked.type };
  if (test.check_only) return typed;
  const subject: Subject = { text: test.expr, tree: checked.tree, types: typesOf(test, bindings), bindings };
  const value = interpreted(subject);
  const different = differences(subject, value);
  if (different.length > 0) throw new Error(`generated code and interpreter differ: ${different.join("; ")}`);
  return value instanceof EvalError ? `it fails: ${value.message}` : { ...typed, value };
}

/** What generated code may rely on of each variable: its declared type, or nothing where nobody checks. */
function typesOf({ disable_check, type_env = [] }: SpecTest, bindings: ReadonlyMap<string, Value>): Subject["types"] {
  if (disable_check) return new Map(Array.from(bindings.keys(), (name) => [name, anyType]));
  return new Map(
    type_env.flatMap((declaration) => ("ident" in declaration ? [[declaration.ident, typeOfChecked(readType(declaration.type))]] : [])),
  );
}

function checkTest(tree: Expression, test: SpecTest): ReturnType<typeof check> | string {
  const checked = check(tree, environmentOf(test));
  const [issue] = checked.issues;
  return issue === undefined ? checked : `it does not compile: ${issue.message}`;
}

function environmentOf(test: SpecTest): Environment {
  const variables = new Map<string, Type>();
  const functions = new Map<string, readonly Overload[]>();
  for (const declaration of test.type_env ?? []) {
    if ("ident" in declaration) variables.set(declaration.ident, readType(declaration.type));
    else {
      functions.set(
        declaration.function,
        declaration.overloads.map(({ id, member, params, result }) => ({
          id,
          receiver: member,
          parameters: params.map(readType),
          result: readType(result),
        })),
      );
    }
  }
  return standardEnvironment(variables, { container: test.container ?? "", functions });
}

function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}
