/** Emits CEL expressions as JavaScript: `undefined` is the error, and an outcome can be asked for without making the value. */
import type { Expression, List, MapLiteral } from "../../runtime/cel/ast.ts";
import { isConstant } from "../cel/constant.ts";
import { emitIdentifier, emitSelect, inlinedVariable } from "./access.ts";
import { emitCall } from "./call.ts";
import { type Code, js, list } from "./code.ts";
import { comparisonIs, emitComparison, isComparison } from "./comparison.ts";
import { emitLiteral } from "./literal.ts";
import { choiceIs, emitChoice, emitLogic, emitNot, isTruth, logicIs, only } from "./logic.ts";
import { bindIs, emitBind, emitLoop, emitOptionalMap, loopIs } from "./loop.ts";
import { type Emitted, type Expressions, type Scope, arrow, openFrame } from "./scope.ts";
import { anyType, join, listType, type ValueType } from "./value-type.ts";

/** The emitter of expressions. */
export const expressions: Expressions = {
  value(expression, scope) {
    return isWorthDeclaring(expression) ? declared(expression, scope) : emitValue(expression, scope);
  },

  is(outcome, expression, scope) {
    switch (expression.kind) {
      case "literal":
        return expression.value === outcome ? js`true` : js`false`;
      case "logic":
        return logicIs(outcome, expression, scope, expressions);
      case "bind":
        return bindIs(outcome, expression, scope, expressions);
      case "loop": {
        const loop = loopIs(outcome, expression, scope, expressions);
        if (loop !== undefined) return loop;
        break;
      }
      case "call":
        if (expression.target !== undefined) break;
        if (expression.function === "!_") return expressions.is(!outcome, only(expression), scope);
        if (expression.function === "_?_:_") return choiceIs(outcome, expression, scope, expressions);
        if (expression.function === "dyn") return expressions.is(outcome, only(expression), scope);
        if (isComparison(expression)) return comparisonIs(outcome, expression, scope, expressions);
        break;
      case "select": {
        const variable = inlinedVariable(expression, scope);
        if (variable !== undefined) return expressions.is(outcome, variable.expression, variable.scope);
        break;
      }
      case "identifier":
      case "list":
      case "map":
      case "struct":
      case "optionalMap":
    }
    return valueIs(outcome, expressions.value(expression, scope));
  },
};

function valueIs(outcome: boolean, value: Emitted): Code {
  if (isTruth(value)) return outcome ? value.code : js`!${value.code}`;
  return outcome ? js`${value.code} === true` : js`${value.code} === false`;
}

function emitValue(expression: Expression, scope: Scope): Emitted {
  switch (expression.kind) {
    case "literal":
      return emitLiteral(expression);
    case "identifier":
      return emitIdentifier(expression, scope);
    case "select":
      return emitSelect(expression, scope, expressions);
    case "logic":
      return emitLogic(expression, scope, expressions);
    case "list":
      return emitList(expression, scope);
    case "map":
      return emitMap(expression, scope);
    case "loop":
      return emitLoop(expression, scope, expressions);
    case "bind":
      return emitBind(expression, scope, expressions);
    case "optionalMap":
      return emitOptionalMap(expression, scope, expressions);
    // No environment of ours declares a message, so the checker lets none through.
    case "struct":
      return { code: js`undefined`, type: anyType, total: false };
    case "call":
      if (expression.target === undefined) {
        if (expression.function === "!_") return emitNot(expression, scope, expressions);
        if (expression.function === "_?_:_") return emitChoice(expression, scope, expressions);
        if (expression.function === "dyn") return expressions.value(only(expression), scope);
        if (isComparison(expression)) return emitComparison(expression, scope, expressions);
      }
      return emitCall(expression, scope, expressions);
  }
}

function emitList(expression: List, scope: Scope): Emitted {
  const elements = expression.elements.map((element) => expressions.value(element, scope));
  const codes = list(elements.map((element) => element.code));
  if (expression.optionals.length > 0) {
    const marked = elements.map(({ code }, at) => (expression.optionals.includes(at) ? js`[${code}, true]` : js`[${code}, false]`));
    return { code: js`rt.listWithOptionals([${list(marked)}])`, type: listType(anyType), total: false };
  }
  const type = listType(
    elements
      .map((element) => element.type)
      .reduce<ValueType | undefined>((joined, of) => (joined === undefined ? of : join(joined, of)), undefined) ?? anyType,
  );
  return elements.every((element) => element.total)
    ? { code: js`[${codes}]`, type, total: true }
    : { code: js`rt.list([${codes}])`, type, total: false };
}

function emitMap(expression: MapLiteral, scope: Scope): Emitted {
  const optionals = expression.entries.some(({ optional }) => optional);
  const entries = expression.entries.map(({ key, value, optional }) => {
    const [keyCode, valueCode] = [expressions.value(key, scope).code, expressions.value(value, scope).code];
    if (!optionals) return js`[${keyCode}, ${valueCode}]`;
    return optional ? js`[${keyCode}, ${valueCode}, true]` : js`[${keyCode}, ${valueCode}, false]`;
  });
  const call = optionals ? js`rt.mapWithOptionals` : js`rt.mapOf`;
  return { code: js`${call}([${list(entries)}])`, type: anyType, total: false };
}

/** A constant that costs something to make is made once, when the unit is loaded. */
function isWorthDeclaring(expression: Expression): boolean {
  switch (expression.kind) {
    case "list":
    case "map":
      return isConstant(expression);
    case "call":
      return !isOperator(expression.function) && expression.function !== "dyn" && isConstant(expression);
    case "literal":
    case "identifier":
    case "select":
    case "logic":
    case "loop":
    case "bind":
    case "optionalMap":
    case "struct":
      return false;
  }
}

/** Operators have names that no function can have: `_+_`, `!_`, `@in`. */
const isOperator = (name: string): boolean => /[_@!]/.test(name.charAt(0)) || name.endsWith("_");

function declared(expression: Expression, scope: Scope): Emitted {
  // It is made outside of the function being emitted, and so needs temporaries of its own.
  const frame = openFrame();
  const emitted = emitValue(expression, { ...scope, query: js`rt.load`, frame });
  const code = frame.temporaries.length === 0 ? emitted.code : js`(${arrow([], frame, emitted.code)})()`;
  const hint = expression.kind === "call" ? expression.function : expression.kind;
  return { ...emitted, code: js`${scope.factory.hoist(hint, code)}` };
}
