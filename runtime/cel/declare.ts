/** How a CEL function is declared: one row for each overload, with types, implementation and examples. */
import type { EvalError } from "./error.ts";
import type { MapValue } from "./kind.ts";
import type { Type } from "./type.ts";
import type { Duration, Message, Opaque, Timestamp, TypeValue, Uint, Value } from "./value.ts";

/** What a function may read besides its arguments. */
export interface EvaluationContext {
  /** The instant that `now()` returns: the same throughout a check. */
  readonly now: Timestamp;
}

/** An expression, and its value as a CEL literal or `error: <kind>`. Run as a test and printed in FUNCTIONS.md. */
export type Example = readonly [expression: string, value: string];

/** One overload of a CEL function or operator. */
export interface FunctionRow {
  readonly name: string;
  /** cel-go's overload id. */
  readonly id: string;
  /** Called as `a.f(b)`; `parameters[0]` is then the target. */
  readonly receiver: boolean;
  readonly parameters: readonly Type[];
  readonly result: Type;
  /**
   * Implementation with a list of arguments. They have the kinds of `parameters` (element types of lists and maps are
   * not checked); none is an error.
   */
  readonly run: (args: readonly Value[], context: EvaluationContext) => Value | EvalError;
  /** The same implementation with separate arguments, then the context. For callers that know the arguments' types. */
  readonly meaning: (...args: readonly unknown[]) => Value | EvalError;
  readonly examples: readonly Example[];
}

/** The JavaScript type of values of a CEL type. */
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

/** Safe only because `call` and the emitter pass arguments of the declared types, which TypeScript cannot see. */
const untyped = <P extends readonly Type[]>(meaning: Meaning<P>): FunctionRow["meaning"] => meaning as FunctionRow["meaning"];

/** Adapts an implementation with separate arguments to a list of arguments. */
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

/** Declares `name(a, b)`, or an operator by its CEL name. */
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
