/** Emits a standalone expression, with variables of its own: a factory `(rt, k) => ({ test, value })`. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { readsCurrentTime } from "../cel/constant.ts";
import { emitVariableRead } from "./access.ts";
import { type Code, block, comment, js, newName, occurs } from "./code.ts";
import type { Constant } from "./escape.ts";
import { expressions } from "./expression.ts";
import type { FormName } from "./forms/index.ts";
import { printForMachine, printForPeople } from "./print-code.ts";
import { type PolicyDefinitions, type EmitContext, opening } from "./context.ts";
import { shareReads } from "./forms/shared-reads.ts";
import { factoryProgram, openUnitWriter } from "./unit-writer.ts";
import type { ValueType } from "./value-type.ts";

/** Properties of the expression and options. */
export interface ExpressionOptions {
  /** The type of each variable, if it has a value. */
  readonly variables: ReadonlyMap<string, ValueType>;
  /** Whether evaluation may be expensive even without loops; it then gets its own work budget. */
  readonly canCostMuch: boolean;
  readonly forms?: ReadonlySet<FormName>;
}

/**
 * The program of one expression: machine text with its constants, and text for readers. `test` and `value` take the
 * variables; what they need of an evaluation comes from `evaluation`, created once by `rt`. They do not share inner
 * functions, because V8 would optimise those for all programs together.
 */
export interface ExpressionProgram {
  readonly text: string;
  readonly constants: readonly Constant[];
  readonly readable: () => string;
}

/** Compiles a checked expression to a program. */
export function emitExpression(text: string, tree: Expression, options: ExpressionOptions): ExpressionProgram {
  const machine = printForMachine(program(text, tree, options));
  return { ...machine, readable: () => printForPeople(program(text, tree, options)) };
}

function program(text: string, tree: Expression, { variables, canCostMuch, forms }: ExpressionOptions): Code {
  const unit = openUnitWriter(forms);
  const query = js`q`;
  const evaluation = newName("evaluation");
  // If the expression reads the time, the caller passes the evaluation. Otherwise users call the function directly,
  // perhaps with further arguments such as index and array.
  const isHandedOver = readsCurrentTime(tree);
  const functionOf = (body: (at: EmitContext) => Code, whenFailed: Code): Code => {
    const bare: EmitContext = {
      ...unit.contextFor(noPolicy),
      query,
      variables: (name) => {
        const type = variables.get(name);
        return type === undefined ? undefined : emitVariableRead(name, type, unit.factory);
      },
    };
    const context = shareReads([tree], bare, expressions);
    const answer = body(context);
    const isOpened = canCostMuch || occurs(query, answer);
    const opened = canCostMuch ? js`${evaluation}.openOnAccount(variables)` : js`${evaluation}.open(variables)`;
    return block(
      isOpened && isHandedOver ? js`(variables = rt.noVariables, options, q = ${opened}) => {` : js`(variables = rt.noVariables) => {`,
      [
        ...(isOpened ? [] : [js`if (typeof variables !== "object" || variables === null) rt.refuse();`]),
        ...(isOpened && !isHandedOver ? [js`const q = ${opened};`] : []),
        block(js`try {`, [...opening(context.frame), js`return ${answer};`], js`}`),
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

/** A standalone expression has no policy, hence no constants or policy variables. */
const noPolicy: PolicyDefinitions = {
  constants: new Map(),
  variable: () => undefined,
  allConstants: () => js`undefined`,
  allVariables: () => js`undefined`,
};
