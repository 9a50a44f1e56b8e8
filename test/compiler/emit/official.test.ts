/** The official evaluation suites, every test that a policy could hold: the value or error that they want, by every way of evaluation. */
import type { Value as ProtoValue } from "@bufbuild/cel-spec/cel/expr/value_pb.js";
import { afterAll, expect, test } from "vitest";
import { check } from "../../../compiler/cel/check.ts";
import { standardEnvironment } from "../../../compiler/cel/environment.ts";
import { allMacros } from "../../../compiler/cel/macros.ts";
import { parse } from "../../../compiler/cel/parse.ts";
import { anyType, typeOfChecked } from "../../../compiler/emit/value-type.ts";
import type { Expression } from "../../../runtime/cel/ast.ts";
import { EvalError } from "../../../runtime/cel/error.ts";
import { typeValues } from "../../../runtime/cel/evaluate/names.ts";
import { makeMap } from "../../../runtime/cel/map.ts";
import { printValue } from "../../../runtime/cel/print-value.ts";
import { printType } from "../../../runtime/cel/type.ts";
import { Uint, type Value } from "../../../runtime/cel/value.ts";
import { resolveNames } from "../../conformance/areas/cel-spec-unchecked.ts";
import { same } from "../../conformance/areas/cel-spec-values.ts";
import { type Case, packageCases } from "../cel/conformance-cases.ts";
import { type Subject, differences, interpreted, variants } from "./ways.ts";

const suites = packageCases().filter((one) => one.id.startsWith("conformance/"));

/** What does not apply, by reason; every other test of the suites must come to what it wants. */
const leftOut: readonly (readonly [because: string, applies: (one: Case) => boolean])[] = [
  ["no policy can name a protobuf message, enum or wrapper (D62)", needsProtobuf],
  ["`cel.block` is for cel-go's own optimiser (D62)", (one) => one.id.startsWith("conformance/block_ext/")],
  ["cel-go, as the reference has it, departs from the suite (D45)", (one) => departures.has(one.id)],
];

const departures: ReadonlySet<string> = new Set([
  "conformance/fields/qualified_identifier_resolution/map_key_float",
  "conformance/fields/qualified_identifier_resolution/map_value_repeat_key",
  "conformance/fields/qualified_identifier_resolution/map_value_repeat_key_heterogeneous",
  "conformance/string_ext/value_errors/indexof_out_of_range",
  "conformance/string_ext/value_errors/lastindexof_out_of_range",
]);

const cases = suites.filter((one) => !leftOut.some(([, applies]) => applies(one)));

/** How many tests a row leaves out that no row before it does. */
const counts = leftOut.map(
  ([, applies], at) => suites.filter((one) => leftOut.findIndex(([, earlier]) => earlier(one)) === at && applies(one)).length,
);

test("what is left out is counted, reason by reason", () => {
  expect([suites.length, cases.length, ...counts]).toEqual([2344, 1620, 694, 25, 5]);
});

afterAll(() =>
  console.log(
    `${cases.length} of ${suites.length} official evaluation tests pass, interpreted and generated in ${variants.length + 1} ways; left out:`,
    ...leftOut.map(([because], at) => `\n  ${counts[at]}: ${because}`),
  ),
);

test(`each comes to what it wants, interpreted and generated in ${variants.length} variants`, () => {
  expect(cases.flatMap((one) => troubles(one).map((trouble) => `${one.id}: ${one.expression}: ${trouble}`))).toEqual([]);
});

/** What is wrong with a test: nothing, or a sentence for each thing. */
function troubles(one: Case): readonly string[] {
  const subject = subjectOf(one);
  const { case: kind, value } = one.original.resultMatcher;
  const mustFail = kind === "evalError" || kind === "anyEvalErrors";
  // What is refused when compiling has no value either.
  if (typeof subject === "string") return mustFail ? [] : [subject];
  if (one.original.checkOnly) return [];
  const outcome = interpreted(subject);
  const different = differences(subject, outcome);
  if (outcome instanceof EvalError) return mustFail ? different : [outcome.message, ...different];
  if (mustFail) return [`it is ${printValue(outcome)}, but ought to fail`, ...different];
  const wanted = kind === "value" ? valueOf(value) : kind === "typedResult" ? valueOf(value.result) : true;
  if (wanted === undefined) return ["it wants what is no value here"];
  return same(outcome, wanted) ? different : [`it is ${printValue(outcome)}, not ${printValue(wanted)}`, ...different];
}

/** The test as what can be evaluated, or why it does not compile. */
function subjectOf(one: Case): Subject | string {
  const { tree, issues } = parse(one.expression, one.macros ? allMacros : []);
  if (tree === undefined) return `it does not parse: ${issues[0]?.message}`;
  const bindings = bindingsOf(one);
  if (bindings === undefined) return "it binds what is no value here";
  const found = one.original.disableCheck ? unchecked(one, tree, bindings) : checked(one, tree);
  return typeof found === "string" ? found : { text: one.expression, bindings, ...found };
}

const unchecked = (one: Case, tree: Expression, bindings: ReadonlyMap<string, Value>): Pick<Subject, "tree" | "types"> => ({
  tree: resolveNames(tree, one.container, (name) => bindings.has(name) || typeValues.has(name)),
  types: new Map(Array.from(bindings.keys(), (name) => [name, anyType])),
});

function checked(one: Case, tree: Expression): Pick<Subject, "tree" | "types"> | string {
  const result = check(tree, standardEnvironment(one.variables, { container: one.container, functions: one.functions }));
  if (result.issues.length > 0) return `it does not compile: ${result.issues[0]?.message}`;
  return { tree: result.tree, types: new Map(Array.from(one.variables, ([name, type]) => [name, typeOfChecked(type)])) };
}

function bindingsOf(one: Case): ReadonlyMap<string, Value> | undefined {
  const bindings = new Map<string, Value>();
  for (const [name, { kind }] of Object.entries(one.original.bindings)) {
    const value = kind.case === "value" ? valueOf(kind.value) : undefined;
    if (value === undefined) return undefined;
    bindings.set(name, value);
  }
  return bindings;
}

/** A value of the suite, or undefined for a message or an enum. */
function valueOf(proto: ProtoValue | undefined): Value | undefined {
  const { kind } = proto ?? {};
  switch (kind?.case) {
    case "nullValue":
      return null;
    case "uint64Value":
      return new Uint(kind.value);
    case "boolValue":
    case "int64Value":
    case "doubleValue":
    case "stringValue":
    case "bytesValue":
      return kind.value;
    case "typeValue":
      return typeValues.get(kind.value);
    case "listValue":
      return all(kind.value.values.map(valueOf));
    case "mapValue": {
      const entries = kind.value.entries.map(({ key, value }) => all([valueOf(key), valueOf(value)]));
      const made = entries.includes(undefined)
        ? undefined
        : makeMap(entries.flatMap((entry) => (entry === undefined ? [] : [[entry[0] ?? null, entry[1] ?? null] as const])));
      return made instanceof EvalError ? undefined : made;
    }
    default:
      return undefined;
  }
}

function all(values: readonly (Value | undefined)[]): readonly Value[] | undefined {
  const there = values.filter((value) => value !== undefined);
  return there.length === values.length ? there : undefined;
}

/** It speaks of a message, an enum or a wrapper, or binds or wants one. */
function needsProtobuf(one: Case): boolean {
  const words = [one.expression, `${one.container}.`, ...Array.from(one.variables.values(), printType)].join("\n");
  if (
    /\b(?:(?:Nested)?TestAllTypes|TestRequired|NestedEnum|GlobalEnum|[gh][ea][ts]Ext|google\.protobuf\.(?!Timestamp|Duration))/.test(words)
  )
    return true;
  const { case: kind, value } = one.original.resultMatcher;
  const wanted = kind === "value" ? value : kind === "typedResult" ? value.result : undefined;
  return bindingsOf(one) === undefined || (wanted !== undefined && valueOf(wanted) === undefined);
}
