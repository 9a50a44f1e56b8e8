/** Prints one expression of a policy as the program that it would become: for people who ask, never to be run. */
import type { Expression } from "../../runtime/cel/ast.ts";
import type { Definitions } from "../link/policy-set.ts";
import { type Code, block, comment, constants, emptyLine, js, newName } from "./code.ts";
import { expressions } from "./expression.ts";
import { emitNames } from "./policy-scope.ts";
import { printForPeople } from "./print-code.ts";
import { mentions } from "./references.ts";
import { type Emitted, type Scope, arrow } from "./scope.ts";
import { openUnitWriter } from "./unit-writer.ts";
import { anyType } from "./value-type.ts";

/** What an expression may name besides the request. */
export interface NamedAround extends Definitions {
  /** Names that no policy has: the functions take them as parameters. */
  readonly names: Iterable<string>;
}

/** Prints the function that says whether the expression is true, and the one that answers its value. */
export function printExpressionProgram(text: string, tree: Expression, { names, ...definitions }: NamedAround): string {
  const unit = openUnitWriter();
  const { scope } = emitNames(definitions, [tree, tree], "unset", unit, () => "");
  const named = [...names].filter((name) => mentions(tree, name)).map((name) => [name, newName(name)] as const);
  const locals = new Map(
    named.map(([name, parameter]): [string, Emitted] => [name, { code: js`${parameter}`, type: anyType, total: true }]),
  );
  const functionOf = (body: (at: Scope) => Code): Code => {
    const at: Scope = { ...unit.scopeFor(scope), locals };
    const code = body(at);
    return arrow([js`q`, ...named.map(([, parameter]) => parameter)], at.frame, code);
  };
  const test = functionOf((at) => expressions.is(true, tree, at));
  const value = functionOf((at) => expressions.value(tree, at).code);
  return printForPeople(
    block(
      js`(rt, k) => {`,
      [constants, ...unit.head, ...unit.body, emptyLine, comment(() => text), js`return { test: ${test}, value: ${value} };`],
      js`}`,
    ),
  );
}
