/** Emits calls of time functions whose overload is known from the types, without dispatch at run time. */
import { functionRows } from "../../../runtime/cel/functions/index.ts";
import type { FunctionRow } from "../../../runtime/cel/declare.ts";
import { js } from "../code.ts";
import { type Emitted, type EmitContext, evaluateOnce } from "../context.ts";
import { type ValueType, typeOfChecked } from "../value-type.ts";

/** Overloads on timestamps and durations only: constant cost, and independent of the current time. */
const candidates: readonly FunctionRow[] = functionRows.filter(
  ({ name, parameters }) =>
    parameters.length > 0 &&
    parameters.length <= 2 &&
    name !== "timeSince" &&
    (parameters.every(({ kind }) => kind === "timestamp" || kind === "duration") ||
      ((name === "timestamp" || name === "duration") && parameters.every(({ kind }) => kind === "string"))) &&
    !/^_[=!<>]/.test(name),
);

/**
 * Emits a call by its overload. `general` emits it by name; it is used for JSON values that turn out not to be
 * strings. Undefined if the types do not determine the overload, or the checker chose another one (`guessed`).
 */
export function emitOverload(
  name: string,
  receiver: boolean,
  operands: readonly Emitted[],
  context: EmitContext,
  general: (operands: readonly Emitted[]) => Emitted,
  guessed?: string,
): Emitted | undefined {
  if (!context.factory.uses("call overloads at once")) return undefined;
  const [only] = operands;
  const row = candidates.find((one) => one.name === name && one.receiver === receiver && takes(one, operands));
  if (row === undefined || only === undefined || (guessed !== undefined && guessed !== row.id)) return undefined;
  const callee = context.factory.overload(row.id);
  const type = typeOfChecked(row.result);
  if (only.type.kind !== "json") {
    const [left, right] = operands.map(({ code }) => code);
    return {
      code: right === undefined ? js`${callee}(${left ?? js``})` : js`${callee}(${left ?? js``}, ${right})`,
      type,
      cannotFail: false,
    };
  }
  const [first, again] = evaluateOnce(only, context);
  const otherwise = general([{ ...only, code: again }]);
  return { code: js`(typeof ${first} === "string" ? ${callee}(${again}) : ${otherwise.code})`, type, cannotFail: false };
}

const takes = ({ parameters }: FunctionRow, operands: readonly Emitted[]): boolean =>
  parameters.length === operands.length && parameters.every(({ kind }, at) => isOf(kind, operands[at]?.type));

const isOf = (kind: string, type: ValueType | undefined): boolean => type?.kind === kind || (kind === "string" && type?.kind === "json");
