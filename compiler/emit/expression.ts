/**
 * Emits CEL expressions as JavaScript. `undefined` stands for an error; a wanted outcome can be tested without
 * computing the value.
 */
import type { Expression, List, MapLiteral } from "../../runtime/cel/ast.ts";
import { emitIdentifier, emitSelect, inlinedVariable } from "./access.ts";
import { emitCall } from "./call.ts";
import { type Code, js, list } from "./code.ts";
import { declared, isWorthDeclaring } from "./forms/declared.ts";
import { folded } from "./forms/folded.ts";
import { comparisonIs, emitComparison, isComparison } from "./comparison.ts";
import { emitLiteral } from "./literal.ts";
import { choiceIs, emitChoice, emitLogic, emitNot, isTruth, logicIs, only } from "./logic.ts";
import { bindIs, emitBind, emitLoop, emitOptionalMap, loopIs } from "./loop.ts";
import type { Emitted, Expressions, Scope } from "./scope.ts";
import { emitTextTest, textTestIs } from "./forms/text-test.ts";
import { anyType, join, listType, type ValueType } from "./value-type.ts";

/** The emitter of expressions. */
export const expressions: Expressions = {
  value(given, scope) {
    const expression = folded(given, scope) ?? given;
    return isWorthDeclaring(expression, scope) ? declared(expression, scope, emitValue) : emitValue(expression, scope);
  },

  is(outcome, given, scope) {
    const expression = folded(given, scope) ?? given;
    if (expression.kind === "literal") return expression.value === outcome ? js`true` : js`false`;
    const asked = scope.factory.uses("ask for outcomes") ? outcomeIs(outcome, expression, scope) : undefined;
    if (asked !== undefined) return asked;
    const test = expression.kind === "call" ? textTestIs(outcome, expression, scope, expressions) : undefined;
    if (test !== undefined) return test;
    if (isComparison(expression)) return comparisonIs(outcome, expression, scope, expressions);
    return valueIs(outcome, expressions.value(expression, scope));
  },
};

/** Pushes the wanted outcome one level down; undefined if the expression has no parts to push it into. */
function outcomeIs(outcome: boolean, expression: Expression, scope: Scope): Code | undefined {
  switch (expression.kind) {
    case "logic":
      return logicIs(outcome, expression, scope, expressions);
    case "bind":
      return bindIs(outcome, expression, scope, expressions);
    case "loop":
      return loopIs(outcome, expression, scope, expressions);
    case "call":
      if (expression.target !== undefined) return undefined;
      if (expression.function === "!_") return expressions.is(!outcome, only(expression), scope);
      if (expression.function === "_?_:_") return choiceIs(outcome, expression, scope, expressions);
      return expression.function === "dyn" ? expressions.is(outcome, only(expression), scope) : undefined;
    case "select": {
      const variable = inlinedVariable(expression, scope);
      return variable === undefined ? undefined : expressions.is(outcome, variable.expression, variable.scope);
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
    // Our environments declare no message types, so the checker refuses these.
    case "struct":
      return { code: js`undefined`, type: anyType, total: false };
    case "call":
      if (expression.target === undefined) {
        if (expression.function === "!_") return emitNot(expression, scope, expressions);
        if (expression.function === "_?_:_") return emitChoice(expression, scope, expressions);
        if (expression.function === "dyn") return expressions.value(only(expression), scope);
        if (isComparison(expression)) return emitComparison(expression, scope, expressions);
      }
      return emitTextTest(expression, scope, expressions) ?? emitCall(expression, scope, expressions);
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
