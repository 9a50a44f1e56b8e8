/** Emits the looping macros, `cel.bind`, and the macros of optionals. */
import type { Bind, Expression, Loop, LoopMacro, OptionalMap } from "../../runtime/cel/ast.ts";
import { type Code, js, newName } from "./code.ts";
import { emitInlineLoop, inlineLoopIs, isInlined } from "./forms/inline-loop.ts";
import { type Emitted, type ExpressionEmitter, type EmitContext, arrow, atom, loopFunction, openFrame } from "./context.ts";
import { type ValueType, anyType, boolType, itemType, listType } from "./value-type.ts";

/** Emits whether `exists` or `all` evaluates to `outcome`; undefined for other macros. */
export function loopIs(outcome: boolean, expression: Loop, context: EmitContext, emit: ExpressionEmitter): Code | undefined {
  if (expression.macro !== "exists" && expression.macro !== "all") return undefined;
  if (isInlined(expression, context)) return inlineLoopIs(outcome, expression, context, emit);
  const range = emit.value(expression.range, context);
  // One item with the outcome is enough for `exists` to be true and for `all` to be false.
  const some = (expression.macro === "exists") === outcome;
  const call = expression.variables.length === 1 ? (some ? js`rt.some` : js`rt.every`) : some ? js`rt.someEntry` : js`rt.everyEntry`;
  const test = loopFunction(variablesOf(expression, range.type), context, (inner) => emit.is(outcome, expression.body, inner));
  return js`${call}(${context.query}, ${range.code}, ${test})`;
}

/** Emits the value of a looping macro. */
export function emitLoop(expression: Loop, context: EmitContext, emit: ExpressionEmitter): Emitted {
  if (isInlined(expression, context)) return emitInlineLoop(expression, context, emit);
  const range = emit.value(expression.range, context);
  const variables = variablesOf(expression, range.type);
  let bodyType: ValueType = anyType;
  const step = (of: Expression): Code =>
    loopFunction(variables, context, (inner) => {
      const body = emit.value(of, inner);
      bodyType = body.type;
      return body.code;
    });
  const filter = expression.filter === undefined ? js`` : js`, ${step(expression.filter)}`;
  const body = step(expression.body);
  const [withOne, withTwo] = calls[expression.macro];
  const call = expression.variables.length === 1 ? withOne : withTwo;
  const code = js`${call}(${context.query}, ${range.code}, ${body}${filter})`;
  return { code, type: loopType(expression.macro, range.type, bodyType), cannotFail: false };
}

/** The runtime functions of each macro: with one variable, and with two. */
const calls: { readonly [macro in LoopMacro]: readonly [Code, Code] } = {
  all: [js`rt.all`, js`rt.allEntry`],
  exists: [js`rt.exists`, js`rt.existsEntry`],
  existsOne: [js`rt.existsOne`, js`rt.existsOneEntry`],
  map: [js`rt.map`, js`rt.transformList`],
  filter: [js`rt.filter`, js`rt.filter`],
  transformList: [js`rt.transformList`, js`rt.transformList`],
  transformMap: [js`rt.transformMap`, js`rt.transformMap`],
  transformMapEntry: [js`rt.transformMapEntry`, js`rt.transformMapEntry`],
  sortBy: [js`rt.sortBy`, js`rt.sortBy`],
};

function loopType(macro: LoopMacro, range: ValueType, body: ValueType): ValueType {
  switch (macro) {
    case "all":
    case "exists":
    case "existsOne":
      return boolType;
    case "map":
    case "transformList":
      return listType(body);
    case "filter":
    case "sortBy":
      return listType(itemType(range));
    case "transformMap":
    case "transformMapEntry":
      return anyType;
  }
}

/** A single variable is the element of a list or the key of a map; of two, the first is the index or key. */
function variablesOf(expression: Loop, range: ValueType): readonly { readonly name: string; readonly type: ValueType }[] {
  const [first, second] = expression.variables;
  return second === undefined
    ? [{ name: first, type: itemType(range) }]
    : [
        { name: first, type: anyType },
        { name: second, type: itemType(range) },
      ];
}

/** Emits `cel.bind`: the bound expression is evaluated on first read, once. */
export function emitBind(expression: Bind, context: EmitContext, emit: ExpressionEmitter): Emitted {
  const { code, result } = bind(expression, context, emit, (inner) => {
    const body = emit.value(expression.body, inner);
    return { code: body.code, result: body };
  });
  return { ...result, code };
}

/** Emits whether `cel.bind(...)` evaluates to `outcome`. */
export const bindIs = (outcome: boolean, expression: Bind, context: EmitContext, emit: ExpressionEmitter): Code =>
  bind(expression, context, emit, (inner) => ({ code: atomic(emit.is(outcome, expression.body, inner)), result: undefined })).code;

const atomic = (code: Code): Code => (code.kind === "terms" ? atom(code) : code);

function bind<T>(
  expression: Bind,
  context: EmitContext,
  emit: ExpressionEmitter,
  body: (inner: EmitContext) => { readonly code: Code; readonly result: T },
): { readonly code: Code; readonly result: T } {
  const initFrame = openFrame();
  const init = emit.value(expression.init, { ...context, frame: initFrame });
  const name = newName(expression.name);
  const locals = new Map(context.locals);
  locals.set(expression.name, { code: js`${name}()`, type: init.type, cannotFail: init.cannotFail, lazy: name });
  const frame = openFrame();
  const { code, result } = body({ ...context, locals, frame });
  return { code: js`rt.bind(${arrow([], initFrame, init.code)}, ${arrow([name], frame, code)})`, result };
}

/** Emits `target.optMap(v, body)` and `target.optFlatMap(v, body)`. */
export function emitOptionalMap(expression: OptionalMap, context: EmitContext, emit: ExpressionEmitter): Emitted {
  const target = emit.value(expression.target, context);
  const body = loopFunction([{ name: expression.variable, type: anyType }], context, (inner) => emit.value(expression.body, inner).code);
  const call = expression.flat ? js`rt.optionalFlatMap` : js`rt.optionalMap`;
  return { code: js`${call}(${target.code}, ${body})`, type: anyType, cannotFail: false };
}
