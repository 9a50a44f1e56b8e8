/** Our answers: checked, interpreted, and generated - a whole batch in one program text. */
import { check } from "../../compiler/cel/check.ts";
import { policyEnvironment } from "../../compiler/cel/environment.ts";
import { parse } from "../../compiler/cel/parse.ts";
import { type Code, js, list } from "../../compiler/emit/code.ts";
import { writeConstant } from "../../compiler/emit/constant.ts";
import { expressions } from "../../compiler/emit/expression.ts";
import { emitDefinitions } from "../../compiler/emit/definitions.ts";
import { printForMachine } from "../../compiler/emit/print-code.ts";
import { arrow, openFrame } from "../../compiler/emit/context.ts";
import { factoryProgram, openUnitWriter } from "../../compiler/emit/unit-writer.ts";
import type { Definitions } from "../../compiler/link/policy-set.ts";
import type { Expression } from "../../runtime/cel/ast.ts";
import type { EvalError } from "../../runtime/cel/error.ts";
import { evaluate } from "../../runtime/cel/evaluate/evaluate.ts";
import { printValue } from "../../runtime/cel/print-value.ts";
import type { Type } from "../../runtime/cel/type.ts";
import { type JsonObject, Timestamp, type Value } from "../../runtime/cel/value.ts";
import { readConstant } from "../../runtime/constant.ts";
import { policyBindings } from "../../runtime/decide/activation.ts";
import type { CheckInput } from "../../runtime/decide/input.ts";
import { openQuery } from "../../runtime/decide/open-query.ts";
import type { Query } from "../../runtime/decide/query.ts";
import { emitted } from "../../runtime/emitted/index.ts";
import { evaluateInThisRealm } from "../../runtime/load.ts";
import type { Input } from "./inputs.ts";

/** What we say about one expression. */
export type Ours = { readonly kind: "refused"; readonly message: string } | Accepted;

/** What is known of an expression that compiles, and what it comes to. */
export interface Accepted {
  readonly kind: "accepted";
  readonly tree: Expression;
  readonly type: Type;
  /** The overloads that each call may mean. */
  readonly overloads: ReadonlyMap<number, readonly string[]>;
  readonly interpreted: Value | EvalError;
  readonly generated: Generated;
}

/** What generated code says; `value` is undefined for an error. */
export interface Generated {
  readonly value: Value | undefined;
  readonly isTrue: boolean;
  readonly isFalse: boolean;
}

/** What both sides are given, as our side takes it. */
interface Setting {
  readonly input: CheckInput;
  readonly constants: JsonObject;
  readonly variables: JsonObject;
  readonly globals: JsonObject;
}

const context = { now: new Timestamp(Math.floor(Date.now() / 1000), 0) };

/** Answers a batch of expressions about one input. */
export function answer(texts: readonly string[], input: Input): readonly Ours[] {
  const setting = readInput(input);
  const checked = texts.map(checkText);
  const trees = checked.flatMap((each) => ("refused" in each ? [] : [each.tree]));
  const generated = runGenerated(trees, setting);
  const bindings = policyBindings(setting.input, {
    globals: setting.globals,
    constants: new Map(Object.entries(setting.constants)),
    variables: new Map(Object.entries(setting.variables)),
    effectiveDerivedRoles: [],
  });
  let at = 0;
  return checked.map((each) => {
    if ("refused" in each) return { kind: "refused", message: each.refused };
    const said = generated[at++];
    if (said === undefined) throw new Error("each tree has its functions");
    return { kind: "accepted", ...each, interpreted: evaluate(each.tree, bindings, context), generated: said };
  });
}

function readInput({ request, constants, variables, globals }: Input): Setting {
  // A true edge: both sides are given the same JSON, and its shape is the one that `makeInput` makes.
  const { principal, resource, auxData } = JSON.parse(request) as Pick<CheckInput, "principal" | "resource" | "auxData">;
  const objectOf = (text: string): JsonObject => JSON.parse(text) as JsonObject;
  return {
    input: { requestId: "1", principal, resource, actions: ["view"], ...(auxData === undefined ? {} : { auxData }) },
    constants: objectOf(constants),
    variables: objectOf(variables),
    globals: objectOf(globals),
  };
}

type Checked = { readonly refused: string } | Pick<Accepted, "tree" | "type" | "overloads">;

function checkText(text: string): Checked {
  const { tree, issues } = parse(text);
  const [bad] = issues;
  if (tree === undefined || bad !== undefined) return { refused: bad?.message ?? "it does not parse" };
  const {
    issues: [issue],
    ...checked
  } = check(tree, policyEnvironment);
  return issue === undefined ? { tree: checked.tree, type: checked.type, overloads: checked.overloads } : { refused: issue.message };
}

type Factory = (
  rt: object,
  k: readonly Value[],
) => readonly (readonly [
  whenTrue: (query: Query) => boolean,
  whenFalse: (query: Query) => boolean,
  value: (query: Query) => Value | undefined,
])[];

function runGenerated(trees: readonly Expression[], { input, constants, variables, globals }: Setting): readonly Generated[] {
  const names: Definitions = {
    constants: Object.entries(constants).map(([name, value]) => ({ name, value })),
    variables: Object.entries(variables).map(([name, value]) => {
      const text = printValue(value);
      const { tree } = parse(text);
      if (tree === undefined) throw new Error(`a value prints as an expression: ${text}`);
      return { name, expression: { text, tree } };
    }),
  };
  const unit = openUnitWriter();
  const { definitions: scope } = emitDefinitions(names, trees, "unset", unit, () => "");
  const functions = trees.map((tree) => {
    const frames = [openFrame(), openFrame(), openFrame()] as const;
    const at = (frame: (typeof frames)[number]) => ({ ...unit.contextFor(scope), frame });
    const whenTrue = expressions.is(true, tree, at(frames[0]));
    const whenFalse = expressions.is(false, tree, at(frames[1]));
    const value = expressions.value(tree, at(frames[2])).code;
    const each = (frame: (typeof frames)[number], body: Code): Code => arrow([js`q`], frame, body);
    return js`[${list([each(frames[0], whenTrue), each(frames[1], whenFalse), each(frames[2], value)])}]`;
  });
  const { text, constants: stored } = printForMachine(factoryProgram(unit, js`return [${list(functions)}];`));
  // A true edge: this is the program that was just printed.
  const factory = evaluateInThisRealm(text) as Factory;
  return factory(emitted, stored.map(writeConstant).map(readConstant)).map(([whenTrue, whenFalse, value]) => {
    const query = openQuery(input, globals, context);
    return { value: value(query), isTrue: whenTrue(query), isFalse: whenFalse(query) };
  });
}
