/** Emits comparisons of sizes, of what is read off a timestamp, and of what is counted from them, as JavaScript numbers: their ints cannot leave what a number holds. */
import type { Call, Expression } from "../../../runtime/cel/ast.ts";
import { invariant } from "../../../runtime/cel/error.ts";
import { numbersInUtc } from "../../../runtime/cel/functions/times.ts";
import { type Code, js, terms } from "../code.ts";
import { type Expressions, type Scope, atom, temporary } from "../scope.ts";

/** The whole numbers that an expression can come to. */
interface Range {
  readonly least: number;
  readonly most: number;
}

/** Emits whether an equality or order of two counts comes to `outcome`; undefined where an operand is none. */
export function countsAre(outcome: boolean, expression: Call, scope: Scope, emit: Expressions): Code | undefined {
  const [first, second] = expression.args;
  const sign = signs.get(expression.function);
  if (sign === undefined || first === undefined || second === undefined || !scope.factory.uses("count in numbers")) return undefined;
  // Two literals are nothing to count.
  if ((first.kind === "literal" && second.kind === "literal") || rangeOf(first) === undefined || rangeOf(second) === undefined)
    return undefined;
  const [left, right] = [countCode(first, scope, emit), countCode(second, scope, emit)];
  // An error is NaN, which is neither less nor greater than anything, nor equal to it.
  const [whenTrue, whenFalse] = sign;
  const operator = outcome ? whenTrue : whenFalse;
  if (operator !== unequal) return js`${left} ${operator} ${right}`;
  const it = temporary(scope);
  return terms("||", [js`(${it} = ${left} - ${right}) < 0`, js`${it} > 0`]);
}

const equal = js`===`;
const unequal = js`!==`;
const less = js`<`;
const atMost = js`<=`;
const greater = js`>`;
const atLeast = js`>=`;

/** The operator that holds when the comparison is true, and when it is false. */
const signs: ReadonlyMap<string, readonly [Code, Code]> = new Map([
  ["_==_", [equal, unequal]],
  ["_!=_", [unequal, equal]],
  ["_<_", [less, atLeast]],
  ["_<=_", [atMost, greater]],
  ["_>_", [greater, atMost]],
  ["_>=_", [atLeast, less]],
]);

/** No text, list or map of an engine has more parts. */
const mostParts = 2 ** 32;
/** What is read off a timestamp is at most its year. */
const lastYear = 9999;

/** The range of an expression that counts: a size, a literal, or a sum, difference or product of such; undefined for any other. */
function rangeOf(expression: Expression): Range | undefined {
  if (expression.kind === "literal") {
    if (typeof expression.value !== "bigint") return undefined;
    return within({ least: Number(expression.value), most: Number(expression.value) });
  }
  if (expression.kind !== "call") return undefined;
  if (sizeOf(expression) !== undefined) return { least: 0, most: mostParts };
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

/** What `size(x)` or `x.size()` asks the size of. */
function sizeOf(expression: Call): Expression | undefined {
  if (expression.function !== "size") return undefined;
  return expression.target === undefined ? expression.args[0] : expression.target;
}

/** The timestamp that `timestamp(x).getHours()` and `now().getHours()` read. */
function readOf({ function: name, target, args }: Call): Expression | undefined {
  const isTimestamp = target?.kind === "call" && target.target === undefined && makesTimestamps.has(target.function);
  return isTimestamp && args.length === 0 && numbersInUtc.has(name) ? target : undefined;
}

const makesTimestamps: ReadonlySet<string> = new Set(["timestamp", "now"]);

function countCode(expression: Expression, scope: Scope, emit: Expressions): Code {
  if (expression.kind === "literal") return js`${Number(expression.value)}`;
  invariant(expression.kind === "call", "what counts is a literal or a call");
  const sized = sizeOf(expression);
  if (sized !== undefined) {
    const { code } = emit.value(sized, scope);
    return expression.target === undefined ? js`rt.sizeOf(${code})` : js`rt.sizeOf(${code}, true)`;
  }
  const read = readOf(expression);
  if (read !== undefined) return js`${scope.factory.reading(expression.function)}(${emit.value(read, scope).code})`;
  const [left, right] = expression.args;
  const combine = combinations.get(expression.function);
  invariant(left !== undefined && right !== undefined && combine !== undefined, "what else counts is a sum, difference or product");
  return atom(js`${countCode(left, scope, emit)} ${combine.sign} ${countCode(right, scope, emit)}`);
}
