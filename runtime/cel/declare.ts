/** How a CEL function is written down: one row with its types, its meaning and its examples. */
import type { EvalError } from "./error.ts";
import type { MapValue } from "./kind.ts";
import type { Type } from "./type.ts";
import type { Duration, Message, Opaque, Timestamp, TypeValue, Uint, Value } from "./value.ts";

/** What an evaluation may know besides its bindings. */
export interface EvaluationContext {
  /** The one instant that `now()` reports. */
  readonly now: Timestamp;
}

/** An expression and the CEL literal text of its value, or `error: <kind>`. Run as a test, printed as documentation. */
export type Example = readonly [expression: string, value: string];

/** One overload of a CEL function or operator. */
export interface FunctionRow {
  readonly name: string;
  /** cel-go's overload id, which the checker records and plans print. */
  readonly id: string;
  /** Called as `a.f(b)`: then `parameters[0]` is the target. */
  readonly receiver: boolean;
  readonly parameters: readonly Type[];
  readonly result: Type;
  /** Arguments have the kinds of `parameters` (elements of lists and maps are unknown); an error among them never arrives here. */
  readonly run: (args: readonly Value[], context: EvaluationContext) => Value | EvalError;
  /** The same without a list: the arguments one by one, then the context. For those who know the arguments' kinds. */
  readonly meaning: (...args: readonly unknown[]) => Value | EvalError;
  readonly examples: readonly Example[];
}

/** The JavaScript type of a value whose CEL type is known. */
type Native<T extends Type> = T extends { readonly kind: infer K }
  ? K extends "null"
    ? null
    : K extends "bool"
      ? boolean
      : K extends "int"
        ? bigint
        : K extends "uint"
          ? Uint
          : K extends "double"
            ? number
            : K extends "string"
              ? string
              : K extends "bytes"
                ? Uint8Array
                : K extends "timestamp"
                  ? Timestamp
                  : K extends "duration"
                    ? Duration
                    : K extends "list"
                      ? readonly Value[]
                      : K extends "map"
                        ? MapValue
                        : K extends "type"
                          ? TypeValue
                          : K extends "opaque"
                            ? Opaque
                            : K extends "message"
                              ? Message
                              : Value
  : Value;

type Arguments<P extends readonly Type[]> = { readonly [I in keyof P]: Native<P[I]> };

type Meaning<P extends readonly Type[]> = (...args: [...Arguments<P>, EvaluationContext]) => Value | EvalError;

/** A true edge: `call` and the emitter hand over only arguments of the declared kinds, which the type system cannot see. */
const untyped = <P extends readonly Type[]>(meaning: Meaning<P>): FunctionRow["meaning"] => meaning as FunctionRow["meaning"];

/** Hands the arguments of a list over one by one. */
function spread(arity: number, run: FunctionRow["meaning"]): FunctionRow["run"] {
  switch (arity) {
    case 0:
      return (_args, context) => run(context);
    case 1:
      return (args, context) => run(args[0], context);
    case 2:
      return (args, context) => run(args[0], args[1], context);
    default:
      return (args, context) => run(...args, context);
  }
}

function declare<P extends readonly Type[]>(
  receiver: boolean,
  name: string,
  id: string,
  parameters: P,
  result: Type,
  typed: Meaning<P>,
  examples: readonly Example[],
): FunctionRow {
  const meaning = untyped(typed);
  return { name, id, receiver, parameters, result, run: spread(parameters.length, meaning), meaning, examples };
}

/** Declares `name(a, b)`, or an operator under its CEL name. */
export const global = <const P extends readonly Type[]>(
  name: string,
  id: string,
  parameters: P,
  result: Type,
  meaning: Meaning<P>,
  examples: readonly Example[] = [],
): FunctionRow => declare(false, name, id, parameters, result, meaning, examples);

/** Declares `a.name(b)`: the first parameter is the target. */
export const method = <const P extends readonly [Type, ...Type[]]>(
  name: string,
  id: string,
  parameters: P,
  result: Type,
  meaning: Meaning<P>,
  examples: readonly Example[] = [],
): FunctionRow => declare(true, name, id, parameters, result, meaning, examples);
