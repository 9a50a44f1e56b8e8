/**
 * Emits CEL expressions as JavaScript. `undefined` stands for an error; a wanted outcome can be tested without
 * computing the value.
 */
import type { Expression, List, MapLiteral } from "../../runtime/cel/ast.ts";
import { emitIdentifier, emitSelect, inlinedVariable } from "./access.ts";
import { emitCall } from "./call.ts";
import { type Code, js, list } from "./code.ts";
import { hoistConstant, isWorthHoisting } from "./forms/hoist-constant.ts";
import { foldConstant } from "./forms/fold-constant.ts";
import { comparisonIs, emitComparison, isComparison } from "./comparison.ts";
import { emitLiteral } from "./literal.ts";
import { conditionalIs, emitConditional, emitLogic, emitNot, isBoolean, logicIs, onlyOperand } from "./logic.ts";
import { bindIs, emitBind, emitLoop, emitOptionalMap, loopIs } from "./loop.ts";
import type { Emitted, ExpressionEmitter, EmitContext } from "./context.ts";
import { emitStringTest, stringTestIs } from "./forms/string-test.ts";
import { anyType, join, listType, type ValueType } from "./value-type.ts";

/** The emitter of expressions. */
export const expressions: ExpressionEmitter = {
  value(given, context) {
    const expression = foldConstant(given, context) ?? given;
    return isWorthHoisting(expression, context) ? hoistConstant(expression, context, emitValue) : emitValue(expression, context);
  },

  is(outcome, given, context) {
    const expression = foldConstant(given, context) ?? given;
    if (expression.kind === "literal") return expression.value === outcome ? js`true` : js`false`;
    const asked = context.factory.uses("ask for outcomes") ? outcomeIs(outcome, expression, context) : undefined;
    if (asked !== undefined) return asked;
    const test = expression.kind === "call" ? stringTestIs(outcome, expression, context, expressions) : undefined;
    if (test !== undefined) return test;
    if (isComparison(expression)) return comparisonIs(outcome, expression, context, expressions);
    return valueIs(outcome, expressions.value(expression, context));
  },
};

/** Pushes the wanted outcome one level down; undefined if the expression has no parts to push it into. */
function outcomeIs(outcome: boolean, expression: Expression, context: EmitContext): Code | undefined {
  switch (expression.kind) {
    case "logic":
      return logicIs(outcome, expression, context, expressions);
    case "bind":
      return bindIs(outcome, expression, context, expressions);
    case "loop":
      return loopIs(outcome, expression, context, expressions);
    case "call":
      if (expression.target !== undefined) return undefined;
      if (expression.function === "!_") return expressions.is(!outcome, onlyOperand(expression), context);
      if (expression.function === "_?_:_") return conditionalIs(outcome, expression, context, expressions);
      return expression.function === "dyn" ? expressions.is(outcome, onlyOperand(expression), context) : undefined;
    case "select": {
      const variable = inlinedVariable(expression, context);
      return variable === undefined ? undefined : expressions.is(outcome, variable.expression, variable.context);
    }
    case "literal":
    case "identifier":
    case "list":
    case "map":
    case "struct":
    case "optionalMap":
      return undefined;
  }
}

function valueIs(outcome: boolean, value: Emitted): Code {
  if (isBoolean(value)) return outcome ? value.code : js`!${value.code}`;
  return outcome ? js`${value.code} === true` : js`${value.code} === false`;
}

function emitValue(expression: Expression, context: EmitContext): Emitted {
  switch (expression.kind) {
    case "literal":
      return emitLiteral(expression);
    case "identifier":
      return emitIdentifier(expression, context);
    case "select":
      return emitSelect(expression, context, expressions);
    case "logic":
      return emitLogic(expression, context, expressions);
    case "list":
      return emitList(expression, context);
    case "map":
      return emitMap(expression, context);
    case "loop":
      return emitLoop(expression, context, expressions);
    case "bind":
      return emitBind(expression, context, expressions);
    case "optionalMap":
      return emitOptionalMap(expression, context, expressions);
    // Our environments declare no message types, so the checker refuses these.
    case "struct":
      return { code: js`undefined`, type: anyType, cannotFail: false };
    case "call":
      if (expression.target === undefined) {
        if (expression.function === "!_") return emitNot(expression, context, expressions);
        if (expression.function === "_?_:_") return emitConditional(expression, context, expressions);
        if (expression.function === "dyn") return expressions.value(onlyOperand(expression), context);
        if (isComparison(expression)) return emitComparison(expression, context, expressions);
      }
      return emitStringTest(expression, context, expressions) ?? emitCall(expression, context, expressions);
  }
}

function emitList(expression: List, context: EmitContext): Emitted {
  const elements = expression.elements.map((element) => expressions.value(element, context));
  const codes = list(elements.map((element) => element.code));
  if (expression.optionals.length > 0) {
    const marked = elements.map(({ code }, at) => (expression.optionals.includes(at) ? js`[${code}, true]` : js`[${code}, false]`));
    return { code: js`rt.listWithOptionals([${list(marked)}])`, type: listType(anyType), cannotFail: false };
  }
  const type = listType(
    elements
      .map((element) => element.type)
      .reduce<ValueType | undefined>((joined, of) => (joined === undefined ? of : join(joined, of)), undefined) ?? anyType,
  );
  return elements.every((element) => element.cannotFail)
    ? { code: js`[${codes}]`, type, cannotFail: true }
    : { code: js`rt.list([${codes}])`, type, cannotFail: false };
}

function emitMap(expression: MapLiteral, context: EmitContext): Emitted {
  const optionals = expression.entries.some(({ optional }) => optional);
  const entries = expression.entries.map(({ key, value, optional }) => {
    const [keyCode, valueCode] = [expressions.value(key, context).code, expressions.value(value, context).code];
    if (!optionals) return js`[${keyCode}, ${valueCode}]`;
    return optional ? js`[${keyCode}, ${valueCode}, true]` : js`[${keyCode}, ${valueCode}, false]`;
  });
  const call = optionals ? js`rt.mapWithOptionals` : js`rt.mapOf`;
  return { code: js`${call}([${list(entries)}])`, type: anyType, cannotFail: false };
}
