/** Emits operators and functions as calls of the runtime, which dispatches on the types at run time. */
import type { Call, Expression } from "../../runtime/cel/ast.ts";
import { clockFunctions } from "../cel/constant.ts";
import { emitIndexByName } from "./access.ts";
import { type Code, js, list } from "./code.ts";
import { emitOverload } from "./forms/overload.ts";
import { type Emitted, type ExpressionEmitter, type EmitContext, arrow, openFrame } from "./context.ts";
import { type ValueType, anyType, jsonType, resultType } from "./value-type.ts";

const arithmetic: ReadonlyMap<string, Code> = new Map([
  ["_+_", js`rt.add`],
  ["_-_", js`rt.subtract`],
  ["_*_", js`rt.multiply`],
  ["_/_", js`rt.divide`],
  ["_%_", js`rt.remainder`],
]);

/** `o.or(other)` and `o.orValue(other)` evaluate their argument only if `o` is none. */
const choosing: ReadonlyMap<string, Code> = new Map([
  ["or", js`rt.optionalOr`],
  ["orValue", js`rt.optionalOrValue`],
]);

/** Emits a call that is neither logic nor a comparison. */
export function emitCall(expression: Call, context: EmitContext, emit: ExpressionEmitter): Emitted {
  const operands = expression.target === undefined ? expression.args : [expression.target, ...expression.args];
  const [first, second] = operands;
  if (expression.target === undefined && first !== undefined) {
    const call = arithmetic.get(expression.function);
    if (call !== undefined && second !== undefined) {
      const [left, right] = [emit.value(first, context), emit.value(second, context)];
      const known = emitOverload(expression.function, false, [left, right], context, () => left);
      if (known !== undefined) return known;
      return { code: js`${call}(${left.code}, ${right.code})`, type: arithmeticType(left.type, right.type), cannotFail: false };
    }
    if (expression.function === "-_") return emitNegation(emit.value(first, context));
    if (expression.function === "_[_]" && second !== undefined) return emitIndex(first, second, context, emit);
    if (expression.function === "_[?_]" && second !== undefined) {
      const [operand, key] = [emit.value(first, context), emit.value(second, context)];
      return { code: js`rt.findOptional(${operand.code}, ${key.code})`, type: anyType, cannotFail: false };
    }
  }
  const lazy = expression.target !== undefined && operands.length === 2 ? choosing.get(expression.function) : undefined;
  if (lazy !== undefined && first !== undefined && second !== undefined) {
    const optional = emit.value(first, context);
    const frame = openFrame();
    const other = arrow([], frame, emit.value(second, { ...context, frame }).code);
    return { code: js`${lazy}(${optional.code}, ${other})`, type: anyType, cannotFail: false };
  }
  const receiver = expression.target !== undefined;
  const byName = (args: readonly Emitted[]): Emitted => {
    const callee = context.factory.functionNamed(expression.function, receiver, operands.length, expression.overload);
    // Only functions that read the time need the query.
    const surroundings = clockFunctions.has(expression.function) ? context.query : js`rt.load`;
    const code = js`${callee}(${list([surroundings, ...args.map((argument) => argument.code)])})`;
    return { code, type: resultType(expression.function, receiver, operands.length), cannotFail: false };
  };
  const args = operands.map((operand) => emit.value(operand, context));
  return emitOverload(expression.function, receiver, args, context, byName, expression.overload) ?? byName(args);
}

function emitIndex(operand: Expression, key: Expression, context: EmitContext, emit: ExpressionEmitter): Emitted {
  const of = emit.value(operand, context);
  const byName = emitIndexByName(of, key, context);
  if (byName !== undefined) return byName;
  const type = of.type.kind === "list" ? of.type.element : of.type.kind === "json" ? jsonType : anyType;
  return { code: js`rt.index(${of.code}, ${emit.value(key, context).code})`, type, cannotFail: false };
}

function emitNegation(operand: Emitted): Emitted {
  const { literal } = operand;
  if (typeof literal === "number" || (typeof literal === "bigint" && literal > -(2n ** 63n))) {
    const negated = -literal;
    return { code: js`${negated}`, type: operand.type, cannotFail: true, literal: negated };
  }
  const type: ValueType = operand.type.kind === "json" ? { kind: "double" } : operand.type;
  return { code: js`rt.negate(${operand.code})`, type, cannotFail: false };
}

/** Arithmetic does not mix number types, so the known type of one operand determines the result's. */
function arithmeticType(left: ValueType, right: ValueType): ValueType {
  if (left.kind === right.kind && simple.has(left.kind)) return left;
  if (left.kind === "json" && (right.kind === "double" || right.kind === "string")) return right;
  if (right.kind === "json" && (left.kind === "double" || left.kind === "string")) return left;
  return left.kind === "json" && right.kind === "json" ? jsonType : anyType;
}

const simple: ReadonlySet<string> = new Set(["int", "uint", "double", "string", "bytes"]);
