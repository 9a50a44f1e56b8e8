/** Prints the program of an expression as it would be in a policy, for readers; it is never run. */
import type { Expression } from "../../runtime/cel/ast.ts";
import type { Definitions } from "../link/policy-set.ts";
import { type Code, comment, js, newName } from "./code.ts";
import { expressions } from "./expression.ts";
import { shareReads } from "./forms/shared-reads.ts";
import { emitDefinitions } from "./definitions.ts";
import { printForPeople } from "./print-code.ts";
import { mentions } from "./references.ts";
import { type Emitted, type EmitContext, arrow } from "./context.ts";
import { factoryProgram, openUnitWriter } from "./unit-writer.ts";
import { anyType } from "./value-type.ts";

/** What an expression may refer to besides the request. */
export interface ExpressionDefinitions extends Definitions {
  /** Names that no policy has; the functions take them as parameters. */
  readonly names: Iterable<string>;
}

/** Prints two functions: one that returns whether the expression is true, and one that returns its value. */
export function printExpressionProgram(text: string, tree: Expression, { names, ...definedNames }: ExpressionDefinitions): string {
  const unit = openUnitWriter();
  // Both functions read the tree, so each use counts twice.
  const { definitions } = emitDefinitions(definedNames, [tree, tree], "unset", unit, () => "");
  const parameters = [...names].filter((name) => mentions(tree, name)).map((name) => [name, newName(name)] as const);
  const locals = new Map(
    parameters.map(([name, parameter]): [string, Emitted] => [name, { code: js`${parameter}`, type: anyType, cannotFail: true }]),
  );
  const functionOf = (body: (at: EmitContext) => Code): Code => {
    const at = shareReads([tree], { ...unit.contextFor(definitions), locals }, expressions);
    const answer = body(at);
    return arrow([js`q`, ...parameters.map(([, parameter]) => parameter)], at.frame, answer);
  };
  const test = functionOf((at) => expressions.is(true, tree, at));
  const value = functionOf((at) => expressions.value(tree, at).code);
  return printForPeople(
    factoryProgram(
      unit,
      comment(() => text),
      js`return { test: ${test}, value: ${value} };`,
    ),
  );
}
