/**
 * Emits `==`, `!=`, `<` and similar operators, and `in`: as plain JavaScript where that has exactly CEL's meaning,
 * otherwise as a runtime call.
 */
import type { Call, Expression } from "../../runtime/cel/ast.ts";
import { invariant } from "../../runtime/cel/error.ts";
import { couldCollide } from "../../runtime/emitted/listed.ts";
import { type Code, type Name, js, terms } from "./code.ts";
import { countsAre } from "./forms/count.ts";
import { asDouble, emitLiteral, booleanLiteral } from "./literal.ts";
import { variableNamed } from "./references.ts";
import { type Emitted, type ExpressionEmitter, type EmitContext, atom, evaluateOnce } from "./context.ts";
import { boolType, comparesByIdentity, type ValueType } from "./value-type.ts";

/** An ordering operator: in JavaScript, its negation in JavaScript, and its runtime function. */
interface Order {
  readonly sign: Code;
  readonly opposite: Code;
  readonly call: Code;
}

const orders: ReadonlyMap<string, Order> = new Map([
  ["_<_", { sign: js`<`, opposite: js`>=`, call: js`rt.less` }],
  ["_<=_", { sign: js`<=`, opposite: js`>`, call: js`rt.atMost` }],
  ["_>_", { sign: js`>`, opposite: js`<=`, call: js`rt.greater` }],
  ["_>=_", { sign: js`>=`, opposite: js`<`, call: js`rt.atLeast` }],
]);

/** Whether a call is one of the comparisons of this file. */
export const isComparison = (expression: Expression): expression is Call =>
  expression.kind === "call" &&
  expression.target === undefined &&
  expression.args.length === 2 &&
  (orders.has(expression.function) || expression.function === "_==_" || expression.function === "_!=_" || expression.function === "@in");

/** Emits the value of a comparison. */
export function emitComparison(expression: Call, context: EmitContext, emit: ExpressionEmitter): Emitted {
  if (expression.function === "@in") return emitIn(expression, context, emit);
  const { left, right } = operands(expression, context, emit);
  const order = orders.get(expression.function);
  if (order !== undefined) {
    const code = context.factory.uses("compare in place") ? orderOfJson(order, left, right, context) : undefined;
    return { code: code ?? js`${order.call}(${left.code}, ${right.code})`, type: boolType, cannotFail: false };
  }
  const equality = expression.function === "_==_";
  const pair = sameDouble(left, right);
  const cannotFail = left.cannotFail && right.cannotFail;
  if (isComparedByIdentity(expression, pair, context)) {
    const sign = equality ? js`===` : js`!==`;
    if (cannotFail) return { code: atom(js`${pair.left.code} ${sign} ${pair.right.code}`), type: boolType, cannotFail };
    // Neither of two operands that may be errors can be evaluated twice, so leave them to the runtime.
    const [sure, unsure] = pair.left.cannotFail ? [pair.left, pair.right] : [pair.right, pair.left];
    if (sure.cannotFail) {
      const [first, again] = evaluateOnce(unsure, context);
      const test = js`${first} === undefined ? undefined : ${again} ${sign} ${sure.code}`;
      return { code: atom(test), type: boolType, cannotFail };
    }
  }
  return { code: js`${equality ? js`rt.equal` : js`rt.unequal`}(${left.code}, ${right.code})`, type: boolType, cannotFail };
}

/** Emits whether a comparison evaluates to `outcome`. */
export function comparisonIs(outcome: boolean, expression: Call, context: EmitContext, emit: ExpressionEmitter): Code {
  if (expression.function === "@in") return inIs(outcome, expression, context, emit);
  const counts = countsAre(outcome, expression, context, emit);
  if (counts !== undefined) return counts;
  const { left, right } = operands(expression, context, emit);
  const order = orders.get(expression.function);
  if (order !== undefined && !context.factory.uses("compare in place")) {
    return js`${order.call}(${left.code}, ${right.code}) === ${booleanLiteral(outcome)}`;
  }
  if (order !== undefined) return orderIs(outcome, order, left, right, context);
  const equality = (expression.function === "_==_") === outcome;
  const pair = sameDouble(left, right);
  if (!isComparedByIdentity(expression, pair, context)) {
    return js`rt.equal(${left.code}, ${right.code}) === ${booleanLiteral(equality)}`;
  }
  return equality ? identical(pair.left, pair.right, context) : different(pair.left, pair.right, context);
}

/** Whether `===` means the same as CEL's `==` here, and its cost is already covered by the budget. */
function isComparedByIdentity(
  { args }: Call,
  { left, right }: { readonly left: Emitted; readonly right: Emitted },
  context: EmitContext,
): boolean {
  if (!context.factory.uses("compare in place") || !comparesByIdentity(left.type, right.type)) return false;
  const areTexts = mayBeText(left.type) && mayBeText(right.type) && left.literal === undefined && right.literal === undefined;
  return !areTexts || args.some((operand) => isGiven(operand, context));
}

const mayBeText = ({ kind }: ValueType): boolean => kind === "string" || kind === "json";

/**
 * Whether a string certainly comes from the request: the price of a loop step covers comparing the longest of those.
 * Strings computed by expressions may be longer, and comparing two equal ones takes linear time.
 */
const isGiven = (operand: Expression, context: EmitContext): boolean =>
  operand.kind === "select"
    ? operand.test !== true && variableNamed(operand) === undefined
    : operand.kind === "identifier" && (operand.absolute === true || !context.locals.has(operand.name));

function operands(expression: Call, context: EmitContext, emit: ExpressionEmitter): { readonly left: Emitted; readonly right: Emitted } {
  const [left, right] = expression.args;
  invariant(left !== undefined && right !== undefined, "a comparison has two operands");
  return { left: emit.value(left, context), right: emit.value(right, context) };
}

/** `undefined === undefined` must not make two errors equal, so one side must be known to exist. */
function identical(left: Emitted, right: Emitted, context: EmitContext): Code {
  if (left.cannotFail || right.cannotFail) return js`${left.code} === ${right.code}`;
  const [first, again] = evaluateOnce(left, context);
  return terms("&&", [js`${first} !== undefined`, js`${again} === ${right.code}`]);
}

function different(left: Emitted, right: Emitted, context: EmitContext): Code {
  const [first, testFirst] = existing(left, context);
  const [second, testSecond] = existing(right, context);
  return terms("&&", [...testFirst, ...testSecond, js`${first} !== ${second}`]);
}

/** Code that reads a value again, and tests that it exists. */
function existing(emitted: Emitted, context: EmitContext): readonly [Code, readonly Code[]] {
  if (emitted.cannotFail) return [emitted.code, []];
  const [first, again] = evaluateOnce(emitted, context);
  return [again, [js`${first} !== undefined`]];
}

/** A numeric literal compared with a double is converted to double (docs/cel.md, "Numbers"). */
function sameDouble(left: Emitted, right: Emitted): { readonly left: Emitted; readonly right: Emitted } {
  return { left: asDoubleBeside(left, right.type), right: asDoubleBeside(right, left.type) };
}

function asDoubleBeside(emitted: Emitted, other: ValueType): Emitted {
  if (other.kind !== "json" && other.kind !== "double") return emitted;
  const number = emitted.literal === undefined ? undefined : asDouble(emitted.literal);
  return number === undefined ? emitted : { code: js`${number}`, type: { kind: "double" }, cannotFail: true, literal: number };
}

/**
 * An ordering between a JSON value (or one computed from JSON) and a literal number. Values that are not numbers, and
 * NaN, have no order.
 */
function orderOfJson(order: Order, left: Emitted, right: Emitted, context: EmitContext): Code | undefined {
  const pair = sameDouble(left, right);
  const isNumber = ({ literal }: Emitted): boolean => typeof literal === "number" && !Number.isNaN(literal);
  if (pair.left.type.kind === "json" && isNumber(pair.right)) {
    const [first, again] = evaluateOnce(left, context);
    return js`(typeof ${first} === "number" && ${again} === ${again} ? ${again} ${order.sign} ${pair.right.code} : undefined)`;
  }
  if (pair.right.type.kind === "json" && isNumber(pair.left)) {
    const [first, again] = evaluateOnce(right, context);
    return js`(typeof ${first} === "number" && ${again} === ${again} ? ${pair.left.code} ${order.sign} ${again} : undefined)`;
  }
  return undefined;
}

function orderIs(outcome: boolean, order: Order, left: Emitted, right: Emitted, context: EmitContext): Code {
  // In JavaScript both `undefined < x` and its negated form `undefined >= x` are false, as for NaN: an error has
  // neither outcome.
  const operator = outcome ? order.sign : order.opposite;
  const pair = sameDouble(left, right);
  const same = pair.left.type.kind === pair.right.type.kind && (pair.left.type.kind === "double" || pair.left.type.kind === "int");
  if (same) return js`${pair.left.code} ${operator} ${pair.right.code}`;
  const typed = (one: Emitted, other: Emitted): boolean => one.type.kind === "json" && other.type.kind === "double";
  if (typed(pair.left, pair.right) && pair.right.literal !== undefined) {
    const [first, again] = evaluateOnce(left, context);
    return terms("&&", [js`typeof ${first} === "number"`, js`${again} ${operator} ${pair.right.code}`]);
  }
  if (typed(pair.right, pair.left) && pair.left.literal !== undefined) {
    const [first, again] = evaluateOnce(right, context);
    return terms("&&", [js`typeof ${first} === "number"`, js`${pair.left.code} ${operator} ${again}`]);
  }
  return js`${order.call}(${left.code}, ${right.code}) === ${booleanLiteral(outcome)}`;
}

function emitIn(expression: Call, context: EmitContext, emit: ExpressionEmitter): Emitted {
  const [element, container] = membership(expression, context, emit);
  const members = literalSet(element, container, context);
  if (members !== undefined && element.cannotFail) return { code: js`${members}.has(${element.code})`, type: boolType, cannotFail: true };
  return { code: js`rt.isIn(${element.code}, ${emit.value(container, context).code})`, type: boolType, cannotFail: false };
}

function inIs(outcome: boolean, expression: Call, context: EmitContext, emit: ExpressionEmitter): Code {
  const [element, container] = membership(expression, context, emit);
  const members = literalSet(element, container, context);
  if (members === undefined) return js`rt.isIn(${element.code}, ${emit.value(container, context).code}) === ${booleanLiteral(outcome)}`;
  if (outcome) return js`${members}.has(${element.code})`;
  const [value, tests] = existing(element, context);
  return terms("&&", [...tests, js`!${members}.has(${value})`]);
}

function membership(expression: Call, context: EmitContext, emit: ExpressionEmitter): readonly [Emitted, Expression] {
  const [element, container] = expression.args;
  invariant(element !== undefined && container !== undefined, "`in` has two operands");
  return [emit.value(element, context), container];
}

/** A Set declared once, if the container is a list of scalar literals for which `===` finds the element. */
function literalSet(element: Emitted, container: Expression, context: EmitContext): Name | undefined {
  if (!context.factory.uses("find in sets")) return undefined;
  if (container.kind !== "list" || container.elements.length === 0 || container.optionals.length > 0) return undefined;
  const literals = container.elements.flatMap((member) => (member.kind === "literal" ? [emitLiteral(member)] : []));
  const members = literals.map((literal) => asDoubleBeside(literal, element.type));
  if (members.length < container.elements.length) return undefined;
  if (!members.every((member) => comparesByIdentity(element.type, member.type))) return undefined;
  const scalars = members.map((member) => member.literal ?? null);
  return context.factory.hoist("listed", couldCollide(scalars) ? js`rt.listed(${scalars})` : js`new Set(${scalars})`);
}
