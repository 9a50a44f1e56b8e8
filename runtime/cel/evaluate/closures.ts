/**
 * A faster interpreter for trees evaluated repeatedly: translates most nodes to closures once. Same results as
 * `evaluate.ts`.
 */
import { find, hasField, select } from "../access.ts";
import type { Call, Expression, Identifier, List, Logic, Select } from "../ast.ts";
import { type Callee, calleeOf, overloadOf } from "../call.ts";
import type { EvaluationContext } from "../declare.ts";
import { equal } from "../equal.ts";
import { EvalError } from "../error.ts";
import type { Value } from "../value.ts";
import { elementKept, objectKept, work } from "../work.ts";
import { evaluate } from "./evaluate.ts";
import { valueOfName } from "./names.ts";
import { placed, refused } from "./place.ts";
import { type Bindings, exhausted, type StepCount } from "./scope.ts";

/** Evaluates one tree. */
export type Evaluate = (bindings: Bindings, context: EvaluationContext, steps?: StepCount) => Value | EvalError;

/** Translates a tree on first use. */
export function compileToClosure(tree: Expression): Evaluate {
  let made: Evaluate | undefined;
  return (bindings, context, steps) => (made ??= evaluatorOf(tree))(bindings, context, steps);
}

function evaluatorOf(tree: Expression): Evaluate {
  const interpret: Evaluate = (bindings, context, steps) => evaluate(tree, bindings, context, steps);
  const node = nodeOf(tree);
  if (node === undefined) return interpret;
  // If another expression of the condition has exceeded the step limit, this one must fail too.
  return (bindings, context, steps) =>
    steps !== undefined && exhausted(steps) ? interpret(bindings, context, steps) : node(bindings, context);
}

/** A node translated to a closure. */
type Node = (bindings: Bindings, context: EvaluationContext) => Value | EvalError;

/** Returns undefined for trees with macros, optionals or maps: the plain interpreter is fast enough for them. */
function nodeOf(tree: Expression): Node | undefined {
  switch (tree.kind) {
    case "literal": {
      const { value } = tree;
      return () => value;
    }
    case "identifier":
      return nameNode(tree);
    case "select":
      return selectNode(tree);
    case "call":
      return callNode(tree);
    case "logic":
      return logicNode(tree);
    case "list":
      return listNode(tree);
    default:
      return undefined;
  }
}

/** Translates all trees; undefined if one cannot be translated. */
function nodesOf(trees: readonly Expression[]): readonly Node[] | undefined {
  const nodes: Node[] = [];
  for (const tree of trees) {
    const node = nodeOf(tree);
    if (node === undefined) return undefined;
    nodes.push(node);
  }
  return nodes;
}

/** Work of a node: a third of the plain interpreter's. */
const price = 2;

/** Without macros a name is a binding or a type. */
function nameNode(tree: Identifier): Node {
  const { name } = tree;
  return (bindings) => {
    const found = valueOfName(name, bindings(name));
    return found instanceof EvalError ? placed(found, tree) : found;
  };
}

function selectNode(tree: Select): Node | undefined {
  const { field } = tree;
  const operand = nodeOf(tree.operand);
  if (operand === undefined) return undefined;
  const read = tree.test ? hasField : tree.optional ? find : select;
  return (bindings, context) => {
    work(price);
    const value = operand(bindings, context);
    if (value instanceof EvalError) return value;
    const found = read(value, field);
    return found instanceof EvalError ? placed(found, tree, [value]) : found;
  };
}

function callNode(tree: Call): Node | undefined {
  const { function: name, target, overload } = tree;
  if (name === "_?_:_") return choiceNode(tree);
  if (target !== undefined && tree.args.length === 1 && (name === "or" || name === "orValue")) return undefined;
  const args = nodesOf(target === undefined ? tree.args : [target, ...tree.args]);
  if (args === undefined) return undefined;
  if (overload !== undefined) return strictNode(tree, args, overloadOf(overload));
  if (name === "_==_") return equalityNode(args, true);
  if (name === "_!=_") return equalityNode(args, false);
  if (name === "_[?_]") return strictNode(tree, args, ([value = null, key = null]) => find(value, key));
  return strictNode(tree, args, calleeOf(name, target !== undefined, args.length));
}

/** `c ? a : b` evaluates only one branch. */
function choiceNode({ args }: Call): Node | undefined {
  const [tree] = args;
  const [condition, yes, no] = nodesOf(args) ?? [];
  if (tree === undefined || condition === undefined || yes === undefined || no === undefined) return undefined;
  return (bindings, context) => {
    work(price);
    const value = condition(bindings, context);
    if (typeof value === "boolean") return (value ? yes : no)(bindings, context);
    return value instanceof EvalError ? value : refused(tree, value, "?:");
  };
}

/** The work that `call.ts` counts for a call. */
const priceOfCall = 8;

/** Equality accepts all values and is never an error itself. */
function equalityNode([left, right]: readonly Node[], wanted: boolean): Node | undefined {
  if (left === undefined || right === undefined) return undefined;
  return (bindings, context) => {
    work(price + priceOfCall);
    const one = left(bindings, context);
    if (one instanceof EvalError) return one;
    const other = right(bindings, context);
    return other instanceof EvalError ? other : equal(one, other) === wanted;
  };
}

/** If arguments fail, the error of the first one from left to right is the result. */
function strictNode(tree: Call, args: readonly Node[], callee: Callee): Node {
  return (bindings, context) => {
    work(price);
    const values: Value[] = [];
    for (const arg of args) {
      const value = arg(bindings, context);
      if (value instanceof EvalError) return value;
      values.push(value);
    }
    const found = callee(values, context);
    return found instanceof EvalError ? placed(found, tree, values) : found;
  };
}

/** The deciding boolean wins even if an earlier term failed. */
function logicNode({ operator, terms: trees }: Logic): Node | undefined {
  const terms = nodesOf(trees);
  if (terms === undefined) return undefined;
  const deciding = operator === "||";
  return (bindings, context) => {
    work(price);
    let failure: EvalError | undefined;
    for (let at = 0; at < terms.length; at++) {
      const [term, tree] = [terms[at], trees[at]];
      if (term === undefined || tree === undefined) break;
      const value = term(bindings, context);
      if (value === deciding) return deciding;
      if (typeof value !== "boolean") failure ??= value instanceof EvalError ? value : refused(tree, value, operator);
    }
    return failure ?? !deciding;
  };
}

function listNode({ elements: trees, optionals }: List): Node | undefined {
  const elements = optionals.length > 0 ? undefined : nodesOf(trees);
  if (elements === undefined) return undefined;
  return (bindings, context) => {
    work(objectKept + elementKept * elements.length);
    const values: Value[] = [];
    for (const element of elements) {
      const value = element(bindings, context);
      if (value instanceof EvalError) return value;
      values.push(value);
    }
    return values;
  };
}
