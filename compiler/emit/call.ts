/** Emits operators and functions as calls of the runtime, which dispatches on the types at run time. */
import type { Call, Expression } from "../../runtime/cel/ast.ts";
import { clockFunctions } from "../cel/constant.ts";
import { emitIndexByName } from "./access.ts";
import { type Code, js, list } from "./code.ts";
import { emitOverload } from "./forms/overload.ts";
import { type Emitted, type Expressions, type Scope, arrow, openFrame } from "./scope.ts";
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
export function emitCall(expression: Call, scope: Scope, emit: Expressions): Emitted {
  const operands = expression.target === undefined ? expression.args : [expression.target, ...expression.args];
  const [first, second] = operands;
  if (expression.target === undefined && first !== undefined) {
    const call = arithmetic.get(expression.function);
    if (call !== undefined && second !== undefined) {
      const [left, right] = [emit.value(first, scope), emit.value(second, scope)];
      const known = emitOverload(expression.function, false, [left, right], scope, () => left);
      if (known !== undefined) return known;
      return { code: js`${call}(${left.code}, ${right.code})`, type: arithmeticType(left.type, right.type), total: false };
    }
    if (expression.function === "-_") return emitNegation(emit.value(first, scope));
    if (expression.function === "_[_]" && second !== undefined) return emitIndex(first, second, scope, emit);
    if (expression.function === "_[?_]" && second !== undefined) {
      const [operand, key] = [emit.value(first, scope), emit.value(second, scope)];
      return { code: js`rt.findOptional(${operand.code}, ${key.code})`, type: anyType, total: false };
    }
  }
  const lazy = expression.target !== undefined && operands.length === 2 ? choosing.get(expression.function) : undefined;
  if (lazy !== undefined && first !== undefined && second !== undefined) {
    const optional = emit.value(first, scope);
    const frame = openFrame();
    const other = arrow([], frame, emit.value(second, { ...scope, frame }).code);
    return { code: js`${lazy}(${optional.code}, ${other})`, type: anyType, total: false };
  }
  const receiver = expression.target !== undefined;
  const byName = (args: readonly Emitted[]): Emitted => {
    const callee = scope.factory.functionNamed(expression.function, receiver, operands.length, expression.overload);
    // Only functions that read the time need the query.
    const surroundings = clockFunctions.has(expression.function) ? scope.query : js`rt.load`;
    const code = js`${callee}(${list([surroundings, ...args.map((argument) => argument.code)])})`;
    return { code, type: resultType(expression.function, receiver, operands.length), total: false };
  };
  const args = operands.map((operand) => emit.value(operand, scope));
  return emitOverload(expression.function, receiver, args, scope, byName, expression.overload) ?? byName(args);
}

function emitIndex(operand: Expression, key: Expression, scope: Scope, emit: Expressions): Emitted {
  const of = emit.value(operand, scope);
  const byName = emitIndexByName(of, key, scope);
  if (byName !== undefined) return byName;
  const type = of.type.kind === "list" ? of.type.element : of.type.kind === "json" ? jsonType : anyType;
  return { code: js`rt.index(${of.code}, ${emit.value(key, scope).code})`, type, total: false };
}

function emitNegation(operand: Emitted): Emitted {
  const { literal } = operand;
  if (typeof literal === "number" || (typeof literal === "bigint" && literal > -(2n ** 63n))) {
    const negated = -literal;
    return { code: js`${negated}`, type: operand.type, total: true, literal: negated };
  }
  const type: ValueType = operand.type.kind === "json" ? { kind: "double" } : operand.type;
  return { code: js`rt.negate(${operand.code})`, type, total: false };
}

/** Arithmetic does not mix number types, so the known type of one operand determines the result's. */
function arithmeticType(left: ValueType, right: ValueType): ValueType {
  if (left.kind === right.kind && simple.has(left.kind)) return left;
  if (left.kind === "json" && (right.kind === "double" || right.kind === "string")) return right;
  if (right.kind === "json" && (left.kind === "double" || left.kind === "string")) return left;
  return left.kind === "json" && right.kind === "json" ? jsonType : anyType;
}

const simple: ReadonlySet<string> = new Set(["int", "uint", "double", "string", "bytes"]);
