/** Completion for the Tab key: commands and their arguments, names, fields of the current request, functions. */
import { allMacros } from "../../compiler/cel/macros.ts";
import { policyEnvironment } from "../../compiler/cel/environment.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { evaluate } from "../../runtime/cel/evaluate/evaluate.ts";
import { functionRows } from "../../runtime/cel/functions/index.ts";
import { typeOfValue } from "../../runtime/cel/kind.ts";
import { dyn, type Type } from "../../runtime/cel/type.ts";
import { Message } from "../../runtime/cel/value.ts";
import { maxWork, tooMuchWork, withWork } from "../../runtime/cel/work.ts";
import { commandNamed, commands } from "./commands.ts";
import { areProblems, checkExpression } from "./expression.ts";
import { functionNames } from "./functions.ts";
import { stringKeys } from "./print-result.ts";
import { operandBefore } from "./operand-before.ts";
import { activationOf, type Activation } from "./activation.ts";
import type { State } from "./state.ts";

/** The candidates to replace the last characters before the cursor. */
export interface Completion {
  readonly candidates: readonly string[];
  readonly typed: string;
  /** Whether candidates are files whose path begins with `typed`. */
  readonly files?: true;
}

/** Completes the text before the cursor. */
export function complete(text: string, state: State, milliseconds: number): Completion {
  const [, begun] = /^\s*(:[A-Za-z]*)$/.exec(text) ?? [];
  if (begun !== undefined)
    return among(
      begun,
      commands.map(({ name }) => `:${name}`),
    );
  const [, name, given] = /^\s*:\s*([A-Za-z]+)\s+(.*)$/s.exec(text) ?? [];
  if (name === undefined || given === undefined) return completeExpression(text, state, milliseconds);
  const completes = commandNamed(name)?.completion;
  if (completes === "expression") return completeExpression(given, state, milliseconds);
  if (completes === "file") return { candidates: [], typed: given, files: true };
  const word = /\S*$/.exec(given)?.[0] ?? "";
  return among(word, completes?.(state) ?? []);
}

const among = (typed: string, names: Iterable<string>): Completion => ({
  typed,
  candidates: [...new Set(names)].filter((name) => name.startsWith(typed)).toSorted(),
});

function completeExpression(text: string, state: State, milliseconds: number): Completion {
  const typed = /[A-Za-z_]\w*$/.exec(text)?.[0] ?? "";
  const before = text.slice(0, text.length - typed.length).trimEnd();
  if (!before.endsWith(".")) return among(typed, namesOf(state));
  const operand = operandBefore(before.slice(0, -1));
  if (operand === "") return among(typed, []);
  try {
    return withWork(maxWork / 64, 0, () => among(typed, membersOf(operand, typed, state, milliseconds)));
  } catch (trouble) {
    if (trouble === tooMuchWork || trouble instanceof RangeError) return among(typed, []);
    throw trouble;
  }
}

function namesOf(state: State): readonly string[] {
  const declared = [...policyEnvironment.variableNames, ...state.names.keys()].filter((name) => name !== "_");
  const globals = functionRows.filter(({ receiver, name }) => !receiver && /^[A-Za-z]/.test(name)).map(({ name }) => `${name}(`);
  const macros = allMacros.filter(({ on }) => on !== "method").map(({ name, on }) => (on === "global" ? `${name}(` : `${on}.${name}(`));
  return [...declared, ...globals, ...macros, "true", "false", "null"];
}

/** Returns the candidates after the dot behind an operand. */
function membersOf(operand: string, typed: string, state: State, milliseconds: number): readonly string[] {
  const namespace = functionNames.filter((name) => name.startsWith(`${operand}.`)).map((name) => `${name.slice(operand.length + 1)}(`);
  const part = { entry: { source: { path: "", text: operand }, firstLine: 1 }, text: operand, start: 0 };
  const checked = checkExpression(part, state);
  if (areProblems(checked)) return namespace;
  // Paths of names are evaluated, because that is fast; for other operands only the type is used.
  if (!/^[\w\s.]+$/.test(operand)) return [...namespace, ...methodsOf(checked.type)];
  const activation = activationOf(state, milliseconds);
  const value = evaluate(checked.tree, activation.bindings, activation.context);
  if (value instanceof EvalError) return [...namespace, ...methodsOf(checked.type)];
  if (value instanceof Message) return [...fieldsOf(value.typeName, activation, state)];
  const keys = stringKeys(value).filter((key) => /^[A-Za-z_]\w*$/.test(key));
  // Directly after the dot only keys are offered; methods are added once a letter is typed.
  if (typed === "" && keys.length > 0) return keys;
  return [...namespace, ...keys, ...methodsOf(checked.type.kind === "dyn" ? typeOfValue(value) : checked.type)];
}

function fieldsOf(record: string, { variables, constants }: Activation, { globals }: State): Iterable<string> {
  switch (record) {
    case "variables":
      return variables.keys();
    case "constants":
      return constants.keys();
    case "globals":
      return globals.keys();
    default:
      return policyEnvironment.fieldNames(record);
  }
}

function methodsOf(type: Type): readonly string[] {
  const accepts = ({ kind }: Type): boolean => kind === type.kind || kind === "dyn" || kind === "parameter" || type.kind === "dyn";
  const methods = functionRows
    .filter(({ receiver, parameters: [target = dyn] }) => receiver && accepts(target))
    .map(({ name }) => `${name}(`);
  const loops = ["list", "map", "dyn"].includes(type.kind)
    ? allMacros.filter(({ on }) => on === "method").map(({ name }) => `${name}(`)
    : [];
  return [...methods, ...loops];
}
