/** The public API of `authz/cel`: parses, checks and compiles a CEL expression to a JavaScript function. */
import { check as checkTree } from "../../compiler/cel/check.ts";
import { standardEnvironment } from "../../compiler/cel/environment.ts";
import type { Issue } from "../../compiler/cel/issue.ts";
import { parse } from "../../compiler/cel/parse.ts";
import { emitExpression } from "../../compiler/emit/expression-program.ts";
import type { Expression } from "../../runtime/cel/ast.ts";
import { printType } from "../../runtime/cel/type.ts";
import { CompilationError, placed, type PlacedIssue } from "./compilation-error.ts";
import { canCostMuch } from "./cost.ts";
import { explain, interpreterOf } from "./explain.ts";
import { questionsOf } from "./generated.ts";
import { areTakenAsTheyAre, readerFor } from "./read-variables.ts";
import { readDeclarations, readForms, type Declarations, type Options } from "./options.ts";
import type { Program } from "./program.ts";

export { CompilationError, type PlacedIssue } from "./compilation-error.ts";
export type { Options } from "./options.ts";
export type { EvaluationOptions, Explanation, Program, Variables } from "./program.ts";
export { duration, timestamp, uint } from "./make.ts";
export type { ErrorKind } from "../../runtime/cel/error.ts";
export { CelMap, Duration, Timestamp, TypeValue, Uint, type Value } from "../../runtime/cel/value.ts";
export { printValue } from "../../runtime/cel/print-value.ts";
export { toJson, type Json } from "../../runtime/cel/to-json.ts";
export { forms, type FormName } from "../../compiler/emit/forms/index.ts";

/** Compiles an expression. Throws a `CompilationError` with every problem, or a TypeError for an invalid option. */
export function compile(text: string, options: Options = {}): Program {
  const declarations = readDeclarations(options);
  const forms = readForms(options);
  const { tree, type, issues } = analyse(text, options, declarations);
  if (tree === undefined || issues.length > 0) throw new CompilationError(text, issues);
  const variables = new Map(Array.from(declarations, ([name, { holds }]) => [name, holds]));
  const program = emitExpression(text, tree, { variables, canCostMuch: canCostMuch(tree), forms });
  const interpreter = interpreterOf(tree, declarations);
  const { test, value } = options.generate === false ? interpreter : questionsOf(text, program, tree);
  const read = readerFor(declarations);
  // If no variable needs conversion, generated code is called directly: a wrapper would cost more than most conditions.
  const direct = options.generate !== false && areTakenAsTheyAre(declarations);
  return Object.freeze({
    text,
    type,
    get javascript() {
      return program.readable();
    },
    test: direct ? test : (given, surroundings) => test(read(given), surroundings),
    evaluate: direct ? value : (given, surroundings) => value(read(given), surroundings),
    explain: (given, surroundings) => explain(text, tree, interpreter.outcome(read(given), surroundings)),
  } satisfies Program);
}

/** Parses and checks an expression. Returns its problems, or its type when there are none. */
export function check(text: string, options: Options = {}): { readonly issues: readonly PlacedIssue[]; readonly type?: string } {
  const { type, issues } = analyse(text, options, readDeclarations(options));
  return issues.length > 0 ? { issues: placed(text, issues) } : { issues: [], type };
}

interface Analysis {
  readonly tree?: Expression;
  readonly type: string;
  readonly issues: readonly Issue[];
}

function analyse(text: string, { container = "" }: Options, declarations: Declarations): Analysis {
  if (typeof text !== "string") throw new TypeError("an expression is a string");
  const { tree, issues } = parse(text);
  if (tree === undefined || issues.length > 0) return { type: "error", issues };
  const types = new Map(Array.from(declarations, ([name, { type }]) => [name, type]));
  const checked = checkTree(tree, standardEnvironment(types, { container }));
  return { tree: checked.tree, type: printType(checked.type), issues: checked.issues };
}
