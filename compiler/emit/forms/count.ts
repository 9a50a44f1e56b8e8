/**
 * Emits comparisons of sizes, of timestamp fields, and of sums, differences and products of these, as JavaScript
 * numbers, which represent such ints exactly.
 */
import type { Call, Expression } from "../../../runtime/cel/ast.ts";
import { invariant } from "../../../runtime/cel/error.ts";
import { numbersInUtc } from "../../../runtime/cel/functions/times.ts";
import { type Code, js, terms } from "../code.ts";
import { type ExpressionEmitter, type EmitContext, atom, temporary } from "../context.ts";

/** The range of integers that an expression can evaluate to. */
interface Range {
  readonly least: number;
  readonly most: number;
}

/** Emits whether a comparison of two counts evaluates to `outcome`; undefined if an operand is no count. */
export function countsAre(outcome: boolean, expression: Call, context: EmitContext, emit: ExpressionEmitter): Code | undefined {
  const [first, second] = expression.args;
  const sign = signs.get(expression.function);
  if (sign === undefined || first === undefined || second === undefined || !context.factory.uses("count in numbers")) return undefined;
  // Two literals are folded elsewhere.
  if ((first.kind === "literal" && second.kind === "literal") || rangeOf(first) === undefined || rangeOf(second) === undefined)
    return undefined;
  const [left, right] = [countCode(first, context, emit), countCode(second, context, emit)];
  // An error is NaN, for which every comparison is false.
  const [whenTrue, whenFalse] = sign;
  const operator = outcome ? whenTrue : whenFalse;
  if (operator !== unequal) return js`${left} ${operator} ${right}`;
  const it = temporary(context);
  return terms("||", [js`(${it} = ${left} - ${right}) < 0`, js`${it} > 0`]);
}

const equal = js`===`;
const unequal = js`!==`;
const less = js`<`;
const atMost = js`<=`;
const greater = js`>`;
const atLeast = js`>=`;

/** The operator if the comparison is to be true, and if it is to be false. */
const signs: ReadonlyMap<string, readonly [Code, Code]> = new Map([
  ["_==_", [equal, unequal]],
  ["_!=_", [unequal, equal]],
  ["_<_", [less, atLeast]],
  ["_<=_", [atMost, greater]],
  ["_>_", [greater, atMost]],
  ["_>=_", [atLeast, less]],
]);

/** No string, list or map in a JavaScript engine has more elements. */
const maxParts = 2 ** 32;
/** The largest field of a timestamp is its year. */
const lastYear = 9999;

/**
 * The range of a count: a size, a timestamp field, a literal, or a sum, difference or product of these; undefined for
 * other expressions.
 */
function rangeOf(expression: Expression): Range | undefined {
  if (expression.kind === "literal") {
    if (typeof expression.value !== "bigint") return undefined;
    return within({ least: Number(expression.value), most: Number(expression.value) });
  }
  if (expression.kind !== "call") return undefined;
  if (sizeOf(expression) !== undefined) return { least: 0, most: maxParts };
  if (readOf(expression) !== undefined) return { least: 0, most: lastYear };
  const [left, right] = expression.target === undefined ? expression.args : [];
  const combine = combinations.get(expression.function);
  if (combine === undefined || left === undefined || right === undefined) return undefined;
  const [one, other] = [rangeOf(left), rangeOf(right)];
  return one === undefined || other === undefined ? undefined : within(combine.range(one, other));
}

/** Beyond these bounds a number is not exact, and an int might overflow. */
const within = (range: Range): Range | undefined =>
  range.least >= Number.MIN_SAFE_INTEGER && range.most <= Number.MAX_SAFE_INTEGER ? range : undefined;

const combinations: ReadonlyMap<string, { readonly sign: Code; readonly range: (left: Range, right: Range) => Range }> = new Map([
  ["_+_", { sign: js`+`, range: (left, right) => ({ least: left.least + right.least, most: left.most + right.most }) }],
  ["_-_", { sign: js`-`, range: (left, right) => ({ least: left.least - right.most, most: left.most - right.least }) }],
  [
    "_*_",
    {
      sign: js`*`,
      range: (left, right) => {
        const corners = [left.least * right.least, left.least * right.most, left.most * right.least, left.most * right.most];
        return { least: Math.min(...corners), most: Math.max(...corners) };
      },
    },
  ],
]);

/** The operand of `size(x)` or `x.size()`. */
function sizeOf(expression: Call): Expression | undefined {
  if (expression.function !== "size") return undefined;
  return expression.target === undefined ? expression.args[0] : expression.target;
}

/** The timestamp in `timestamp(x).getHours()` and `now().getHours()`. */
function readOf({ function: name, target, args }: Call): Expression | undefined {
  const isTimestamp = target?.kind === "call" && target.target === undefined && makesTimestamps.has(target.function);
  return isTimestamp && args.length === 0 && numbersInUtc.has(name) ? target : undefined;
}

const makesTimestamps: ReadonlySet<string> = new Set(["timestamp", "now"]);

function countCode(expression: Expression, context: EmitContext, emit: ExpressionEmitter): Code {
  if (expression.kind === "literal") return js`${Number(expression.value)}`;
  invariant(expression.kind === "call", "what counts is a literal or a call");
  const sized = sizeOf(expression);
  if (sized !== undefined) {
    const { code } = emit.value(sized, context);
    return expression.target === undefined ? js`rt.sizeOf(${code})` : js`rt.sizeOf(${code}, true)`;
  }
  const read = readOf(expression);
  if (read !== undefined) return js`${context.factory.reading(expression.function)}(${emit.value(read, context).code})`;
  const [left, right] = expression.args;
  const combine = combinations.get(expression.function);
  invariant(left !== undefined && right !== undefined && combine !== undefined, "what else counts is a sum, difference or product");
  return atom(js`${countCode(left, context, emit)} ${combine.sign} ${countCode(right, context, emit)}`);
}
