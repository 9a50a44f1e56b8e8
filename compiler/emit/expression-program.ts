/** Emits an expression that stands alone, with variables of its own: a factory `(rt, k) => ({ test, value })`. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { asksForTheInstant } from "../cel/constant.ts";
import { emitVariableRead } from "./access.ts";
import { type Code, block, comment, js, newName, occurs } from "./code.ts";
import type { Constant } from "./escape.ts";
import { expressions } from "./expression.ts";
import type { FormName } from "./forms/index.ts";
import { printForMachine, printForPeople } from "./print-code.ts";
import { type PolicyScope, type Scope, opening } from "./scope.ts";
import { shareReads } from "./forms/shared-reads.ts";
import { factoryProgram, openUnitWriter } from "./unit-writer.ts";
import type { ValueType } from "./value-type.ts";

/** What is known of the expression's surroundings. */
export interface ExpressionSurroundings {
  /** What each variable holds, when it holds something. */
  readonly variables: ReadonlyMap<string, ValueType>;
  /** The evaluation may cost much but for its loops: it starts on an account of its own. */
  readonly canCostMuch: boolean;
  readonly forms?: ReadonlySet<FormName>;
}

/**
 * The program of one expression: text for the machine with its constants, and text for people. `test` and `value` take
 * the variables; what they need to know of an evaluation they get from `evaluation`, which `rt` makes once. They are
 * complete in themselves, because an engine learns about functions around them only what is true of every program.
 */
export interface ExpressionProgram {
  readonly text: string;
  readonly constants: readonly Constant[];
  readonly readable: () => string;
}

/** Turns a checked expression into a program. */
export function emitExpression(text: string, tree: Expression, surroundings: ExpressionSurroundings): ExpressionProgram {
  const machine = printForMachine(program(text, tree, surroundings));
  return { ...machine, readable: () => printForPeople(program(text, tree, surroundings)) };
}

function program(text: string, tree: Expression, { variables, canCostMuch, forms }: ExpressionSurroundings): Code {
  const unit = openUnitWriter(forms);
  const query = js`q`;
  const evaluation = newName("evaluation");
  // Who knows the instant opens the evaluation. All others are called by users, perhaps with an index and a list behind.
  const isHandedOver = asksForTheInstant(tree);
  const functionOf = (body: (at: Scope) => Code, whenFailed: Code): Code => {
    const bare: Scope = {
      ...unit.scopeFor(noPolicy),
      query,
      variables: (name) => {
        const type = variables.get(name);
        return type === undefined ? undefined : emitVariableRead(name, type, unit.factory);
      },
    };
    const scope = shareReads([tree], bare, expressions);
    const answer = body(scope);
    const isOpened = canCostMuch || occurs(query, answer);
    const opened = canCostMuch ? js`${evaluation}.openOnAccount(variables)` : js`${evaluation}.open(variables)`;
    return block(
      isOpened && isHandedOver ? js`(variables = rt.noVariables, options, q = ${opened}) => {` : js`(variables = rt.noVariables) => {`,
      [
        ...(isOpened ? [] : [js`if (typeof variables !== "object" || variables === null) rt.refuse();`]),
        ...(isOpened && !isHandedOver ? [js`const q = ${opened};`] : []),
        block(js`try {`, [...opening(scope.frame), js`return ${answer};`], js`}`),
        block(js`catch (trouble) {`, [js`return rt.failed(trouble, ${whenFailed});`], js`}`),
        ...(isOpened ? [block(js`finally {`, [js`q.close();`], js`}`)] : []),
      ],
      js`}`,
    );
  };
  const test = functionOf((at) => expressions.is(true, tree, at), js`false`);
  const value = functionOf((at) => expressions.value(tree, at).code, js`undefined`);
  return factoryProgram(
    unit,
    js`const ${evaluation} = rt.evaluation();`,
    comment(() => text),
    block(js`return {`, [js`evaluation: ${evaluation},`, js`test: ${test},`, js`value: ${value},`], js`};`),
  );
}

/** No variables, no constants: there is no policy. */
const noPolicy: PolicyScope = {
  constants: new Map(),
  variable: () => undefined,
  allConstants: () => js`undefined`,
  allVariables: () => js`undefined`,
};
