/** One expression, three ways: generated for the machine, generated for people, and interpreted. */
import { check } from "../../../compiler/cel/check.ts";
import { policyEnvironment } from "../../../compiler/cel/environment.ts";
import { parse } from "../../../compiler/cel/parse.ts";
import { type Code, js } from "../../../compiler/emit/code.ts";
import { writeConstant } from "../../../compiler/emit/constant.ts";
import { expressions } from "../../../compiler/emit/expression.ts";
import { emitDefinitions } from "../../../compiler/emit/definitions.ts";
import { printForMachine, printForPeople } from "../../../compiler/emit/print-code.ts";
import { arrow, openFrame } from "../../../compiler/emit/context.ts";
import { factoryProgram, openUnitWriter } from "../../../compiler/emit/unit-writer.ts";
import type { Expression } from "../../../runtime/cel/ast.ts";
import { EvalError } from "../../../runtime/cel/error.ts";
import { evaluate } from "../../../runtime/cel/evaluate/evaluate.ts";
import { CelMap, Message, Timestamp, type Value } from "../../../runtime/cel/value.ts";
import { readConstant } from "../../../runtime/constant.ts";
import { policyBindings } from "../../../runtime/decide/activation.ts";
import { evaluateVariables } from "../../../runtime/decide/evaluate-condition.ts";
import type { CheckInput } from "../../../runtime/decide/input.ts";
import { openQuery } from "../../../runtime/decide/open-query.ts";
import type { Query } from "../../../runtime/decide/query.ts";
import { emitted } from "../../../runtime/emitted/index.ts";
import { evaluateInThisRealm } from "../../../runtime/load.ts";

/** What surrounds an expression. */
export interface Surroundings {
  /** Text by name, in dependency order. */
  readonly variables?: { readonly [name: string]: string };
  readonly constants?: { readonly [name: string]: Value };
  readonly globals?: { readonly [name: string]: Value };
}

/** The expression, compiled: each voice takes an input. `undefined` is an error. */
export interface CompiledForTest {
  readonly readable: string;
  readonly generatedT: (input: CheckInput) => boolean;
  readonly generatedF: (input: CheckInput) => boolean;
  readonly generatedValue: (input: CheckInput) => unknown;
  /** The same three, from the people's print. */
  readonly readableT: (input: CheckInput) => boolean;
  readonly readableF: (input: CheckInput) => boolean;
  readonly readableValue: (input: CheckInput) => unknown;
  readonly interpreted: (input: CheckInput) => unknown;
}

const context = { now: new Timestamp(1_700_000_000, 5) };

/** Parses; checks too unless told not to, for expressions that only dyn values would let through. */
export function treeOf(text: string, checked = true): Expression {
  const { tree, issues } = parse(text);
  if (tree === undefined) throw new Error(`${text}: ${issues.map((issue) => issue.message).join("; ")}`);
  if (!checked) return tree;
  const result = check(tree, policyEnvironment);
  if (result.issues.length > 0) throw new Error(`${text}: ${result.issues.map((issue) => issue.message).join("; ")}`);
  return result.tree;
}

/** Compiles an expression from its text. */
export const compileExpression = (text: string, surroundings: Surroundings = {}, checked = true): CompiledForTest =>
  compileTree(treeOf(text, checked), surroundings, checked);

/** Compiles an expression from its tree. */
export function compileTree(tree: Expression, surroundings: Surroundings = {}, checked = true): CompiledForTest {
  const { globals = {} } = surroundings;
  const names = {
    variables: Object.entries(surroundings.variables ?? {}).map(([name, text]) => ({
      name,
      expression: { text, tree: treeOf(text, checked) },
    })),
    constants: Object.entries(surroundings.constants ?? {}).map(([name, value]) => ({ name, value })),
  };
  const program = (): Code => {
    const unit = openUnitWriter();
    // Three readers of the tree, so that variables are remembered rather than put in place where one reader would.
    const { definitions: scope } = emitDefinitions(names, [tree], "unset", unit, () => "test");
    const frames = [openFrame(), openFrame(), openFrame()] as const;
    const at = (frame: (typeof frames)[number]) => ({ ...unit.contextFor(scope), frame });
    const bodies = [
      expressions.is(true, tree, at(frames[0])),
      expressions.is(false, tree, at(frames[1])),
      expressions.value(tree, at(frames[2])).code,
    ];
    const [whenTrue, whenFalse, value] = bodies.map((body, index) => arrow([js`q`], frames[index] ?? frames[0], body));
    if (whenTrue === undefined || whenFalse === undefined || value === undefined) throw new Error("three functions were emitted");
    return factoryProgram(unit, js`return { whenTrue: ${whenTrue}, whenFalse: ${whenFalse}, value: ${value} };`);
  };

  const machine = printForMachine(program());
  const readable = printForPeople(program());
  const stored = JSON.parse(JSON.stringify(machine.constants.map(writeConstant)));
  const forMachine = evaluateInThisRealm(machine.text) as Factory;
  const forPeople = evaluateInThisRealm(readable) as Factory;
  const fast = forMachine(emitted, stored.map(readConstant));
  const slow = forPeople({ ...emitted }, []);
  const query = (input: CheckInput): Query => {
    const made = openQuery(input, globals, context);
    made.effectiveDerivedRoles = rolesForTest;
    return made;
  };
  return {
    readable,
    generatedT: (input) => fast.whenTrue(query(input)),
    generatedF: (input) => fast.whenFalse(query(input)),
    generatedValue: (input) => plain(fast.value(query(input))),
    readableT: (input) => slow.whenTrue(query(input)),
    readableF: (input) => slow.whenFalse(query(input)),
    readableValue: (input) => plain(slow.value(query(input))),
    interpreted: (input) => {
      const bind = (variables: ReadonlyMap<string, Value>) =>
        policyBindings(input, {
          globals,
          constants: new Map(names.constants.map(({ name, value }) => [name, value])),
          variables,
          effectiveDerivedRoles: rolesForTest,
        });
      const variables = evaluateVariables(names.variables, bind, context, () => {});
      const value = evaluate(tree, bind(variables), context);
      return value instanceof EvalError ? undefined : plain(value);
    },
  };
}

const rolesForTest = ["owner", "reviewer"];

type Factory = (
  rt: object,
  k: readonly Value[],
) => {
  readonly whenTrue: (query: Query) => boolean;
  readonly whenFalse: (query: Query) => boolean;
  readonly value: (query: Query) => Value | undefined;
};

/** A value that `toEqual` compares by content; objects of JSON and maps of expressions stay apart. */
export function plain(value: Value | undefined): unknown {
  if (value instanceof Message) return `record ${value.typeName}`;
  if (value instanceof CelMap) return { entries: Array.from(value.entries, ([key, [, of]]) => [key, plain(of)]) };
  if (Array.isArray(value)) return value.map((element: Value) => plain(element));
  if (typeof value === "object" && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value))) {
    return { json: Object.entries(value).map(([key, of]: [string, Value]) => [key, plain(of)]) };
  }
  return value;
}

/** Says how the voices disagree about an input, or undefined when they agree. */
export function disagreement(
  compiled: CompiledForTest,
  input: CheckInput,
  same: (left: unknown, right: unknown) => boolean,
): string | undefined {
  const value = compiled.interpreted(input);
  const voices: readonly (readonly [string, unknown, unknown])[] = [
    ["value", compiled.generatedValue(input), value],
    ["whenTrue", compiled.generatedT(input), value === true],
    ["whenFalse", compiled.generatedF(input), value === false],
    ["readable value", compiled.readableValue(input), value],
    ["readable whenTrue", compiled.readableT(input), value === true],
    ["readable whenFalse", compiled.readableF(input), value === false],
  ];
  const found = voices.filter(([, generated, interpreted]) => !same(generated, interpreted));
  if (found.length === 0) return undefined;
  const show = (of: unknown): string =>
    of === undefined ? "error" : JSON.stringify(of, (_, part: unknown) => (typeof part === "bigint" ? `${part}n` : part));
  return found
    .map(([voice, generated, interpreted]) => `${voice}: generated ${show(generated)}, interpreted ${show(interpreted)}`)
    .join("\n");
}
