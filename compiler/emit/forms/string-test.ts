/** Emits `startsWith` and `endsWith` with a literal as JavaScript's own methods, which agree with CEL's on every string. */
import type { Call } from "../../../runtime/cel/ast.ts";
import { type Code, js, terms } from "../code.ts";
import { type Emitted, type ExpressionEmitter, type EmitContext, evaluateOnce } from "../context.ts";
import { boolType } from "../value-type.ts";

const tests: ReadonlyMap<string, Code> = new Map([
  ["startsWith", js`.startsWith`],
  ["endsWith", js`.endsWith`],
]);

/** UTF-16 units; comparing a longer string needs work accounting, which only the runtime function does. */
const longest = 64;

/** The method and the literal of such a call; undefined for other calls. */
function stringTest(expression: Call, context: EmitContext): readonly [Code, string] | undefined {
  const test = expression.target === undefined ? undefined : tests.get(expression.function);
  const [part] = expression.args;
  if (test === undefined || expression.args.length !== 1 || part?.kind !== "literal" || typeof part.value !== "string") return undefined;
  if (part.value.length > longest) return undefined;
  return context.factory.uses("ask texts in place") ? [test, part.value] : undefined;
}

/** Emits whether such a test evaluates to `outcome`. */
export function stringTestIs(outcome: boolean, expression: Call, context: EmitContext, emit: ExpressionEmitter): Code | undefined {
  const test = stringTest(expression, context);
  if (test === undefined || expression.target === undefined) return undefined;
  const text = emit.value(expression.target, context);
  const not = outcome ? js`` : js`!`;
  if (text.cannotFail && text.type.kind === "string") return js`${not}${text.code}${test[0]}(${test[1]})`;
  const [first, again] = evaluateOnce(text, context);
  return terms("&&", [js`typeof ${first} === "string"`, js`${not}${again}${test[0]}(${test[1]})`]);
}

/** Emits the value of such a test, which is an error if the operand is no string. */
export function emitStringTest(expression: Call, context: EmitContext, emit: ExpressionEmitter): Emitted | undefined {
  const test = stringTest(expression, context);
  if (test === undefined || expression.target === undefined) return undefined;
  const text = emit.value(expression.target, context);
  if (text.cannotFail && text.type.kind === "string")
    return { code: js`${text.code}${test[0]}(${test[1]})`, type: boolType, cannotFail: true };
  const [first, again] = evaluateOnce(text, context);
  return { code: js`(typeof ${first} === "string" ? ${again}${test[0]}(${test[1]}) : undefined)`, type: boolType, cannotFail: false };
}
