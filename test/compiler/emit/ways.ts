/** One expression, every way there is to evaluate it: interpreted, and generated with all fast forms, without each, and with none. */
import { emitExpression } from "../../../compiler/emit/expression-program.ts";
import { allForms, type FormName } from "../../../compiler/emit/forms/index.ts";
import type { ValueType } from "../../../compiler/emit/value-type.ts";
import type { Expression } from "../../../runtime/cel/ast.ts";
import { EvalError } from "../../../runtime/cel/error.ts";
import { evaluate } from "../../../runtime/cel/evaluate/evaluate.ts";
import { isList, isMap, kindOf } from "../../../runtime/cel/kind.ts";
import { lookup, mapEntries, mapSize } from "../../../runtime/cel/map.ts";
import { Optional } from "../../../runtime/cel/optional.ts";
import { printValue } from "../../../runtime/cel/print-value.ts";
import { equal } from "../../../runtime/cel/equal.ts";
import { Timestamp, type Value } from "../../../runtime/cel/value.ts";
import { evaluateInThisRealm } from "../../../runtime/load.ts";
import { type Factory, runtime } from "../../../src/cel/generated.ts";

/** An expression with what surrounds it. */
export interface Subject {
  readonly text: string;
  readonly tree: Expression;
  /** What each variable is declared to hold. */
  readonly types: ReadonlyMap<string, ValueType>;
  readonly bindings: ReadonlyMap<string, Value>;
}

/** Which forms are on, by what to call that. */
export const variants: readonly (readonly [name: string, forms: ReadonlySet<FormName>])[] = [
  ["all forms", allForms],
  ...Array.from(allForms, (off) => [`without "${off}"`, new Set([...allForms].filter((form) => form !== off))] as const),
  ["no form", new Set<FormName>()],
];

const context = { now: new Timestamp(1_700_000_000, 0) };

/** What the interpreter makes of it. */
export const interpreted = ({ tree, bindings }: Subject): Value | EvalError => evaluate(tree, (name) => bindings.get(name), context);

/** What generated code makes of it otherwise than the interpreter did: a sentence for each way. */
export function differences(subject: Subject, outcome: Value | EvalError): readonly string[] {
  const wanted = outcome instanceof EvalError ? undefined : outcome;
  const given = Object.assign(Object.create(null), Object.fromEntries(subject.bindings));
  const found: string[] = [];
  const compare = (way: string, { evaluation, test, value }: ReturnType<Factory>): void => {
    const made = value(given, undefined, evaluation.open(given, context));
    if (!identical(made, wanted)) found.push(`${way}: it is ${told(made)}, not ${told(wanted)}`);
    const holds = test(given, undefined, evaluation.open(given, context));
    if (holds !== (wanted === true)) found.push(`${way}: asked whether it is true, it says ${holds}, but it is ${told(wanted)}`);
  };
  for (const [name, forms] of variants) {
    const program = emitExpression(subject.text, subject.tree, { variables: subject.types, canCostMuch: true, forms });
    compare(name, load(program.text, program.constants));
    if (forms === allForms) compare("all forms, printed for people", load(program.readable(), []));
  }
  return found;
}

// A true edge: the emitter vouches for what its text is.
const load = (text: string, constants: readonly Value[]): ReturnType<Factory> => (evaluateInThisRealm(text) as Factory)(runtime, constants);

/** Says whether two values are one to every expression that could look at them: kinds, signs of zero and order of keys included. */
function identical(left: Value | undefined, right: Value | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  if (kindOf(left) !== kindOf(right)) return false;
  if (typeof left === "number") return Object.is(left, right);
  if (isList(left)) return isList(right) && left.length === right.length && left.every((element, at) => identical(element, right[at]));
  if (isMap(left)) {
    if (!isMap(right) || mapSize(left) !== mapSize(right)) return false;
    return Array.from(mapEntries(left)).every(([key, of]) => identical(of, lookup(right, key)));
  }
  if (left instanceof Optional) return right instanceof Optional && identical(left.value, right.value);
  return equal(left, right);
}

const told = (value: Value | undefined): string => (value === undefined ? "an error" : printValue(value));
