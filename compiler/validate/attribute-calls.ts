/**
 * Finds the calls of an expression that take a value of the request as an argument: an attribute, a claim, or a
 * constant. All of these come from JSON, so they are never an int, a uint, bytes, a timestamp or a duration. The
 * checker treats them as dyn, because it must accept what the reference implementation accepts.
 */
import type { Call, Expression } from "../../runtime/cel/ast.ts";
import type { Type } from "../../runtime/cel/type.ts";
import { check } from "../cel/check.ts";
import { childrenOf } from "../cel/children.ts";
import { policyEnvironment } from "../cel/environment.ts";
import { recordsByName } from "../cel/records.ts";
import type { ExpressionNode } from "../policy/document.ts";

/** One call and its arguments. The receiver of a method is the first argument. */
export interface AttributeCall {
  readonly expression: ExpressionNode;
  readonly call: Call;
  readonly args: readonly { readonly tree: Expression; readonly isJson: boolean; readonly type: Type | undefined }[];
  /** Ids of the overloads that the call may resolve to. */
  readonly overloads: readonly string[];
}

/** Returns these calls of an expression. */
export function attributeCalls(expression: ExpressionNode): readonly AttributeCall[] {
  const { tree } = expression;
  if (tree === undefined) return none;
  let calls = knownCalls.get(tree);
  if (calls === undefined) knownCalls.set(tree, (calls = typedCalls(tree)));
  return calls.length === 0 ? none : calls.map((call) => ({ expression, ...call }));
}

// Only a cache: a tree never changes, and many policies have the same expressions.
const knownCalls = new WeakMap<Expression, readonly TypedCall[]>();

type TypedCall = Omit<AttributeCall, "expression">;

function typedCalls(tree: Expression): readonly TypedCall[] {
  // Most expressions compare attributes with strings; only the others are worth running the checker again.
  if (callsOf(tree).length === 0) return none;
  const { tree: checked, types, overloads, issues } = check(tree, policyEnvironment);
  if (issues.length > 0) return none;
  return callsOf(checked).map(({ call, args }) => ({
    call,
    args: args.map((arg) => ({ ...arg, type: types.get(arg.tree.id) })),
    overloads: overloads.get(call.id) ?? [],
  }));
}

const none: readonly never[] = [];

type Found = { readonly call: Call; readonly args: readonly { readonly tree: Expression; readonly isJson: boolean }[] };

/** A variable that a macro binds -> whether its value comes from JSON. */
type Bound = ReadonlyMap<string, boolean>;

const noNames: Bound = new Map();

function callsOf(root: Expression): readonly Found[] {
  const found: Found[] = [];
  const visit = (tree: Expression, bound: Bound): void => {
    switch (tree.kind) {
      case "call": {
        const parts = childrenOf(tree);
        if (!isHarmless(tree)) {
          const args = parts.map((arg) => ({ tree: arg, isJson: isJson(arg, bound) }));
          if (args.some((arg) => arg.isJson)) found.push({ call: tree, args });
        }
        for (const part of parts) visit(part, bound);
        return;
      }
      case "loop": {
        visit(tree.range, bound);
        const inside = new Map([...bound, ...loopNames(tree.variables, isJson(tree.range, bound))]);
        if (tree.filter !== undefined) visit(tree.filter, inside);
        return visit(tree.body, inside);
      }
      case "bind":
        visit(tree.init, bound);
        return visit(tree.body, new Map([...bound, [tree.name, isJson(tree.init, bound)]]));
      case "optionalMap":
        visit(tree.target, bound);
        return visit(tree.body, new Map([...bound, [tree.variable, false]]));
      default:
        for (const part of childrenOf(tree)) visit(part, bound);
    }
  };
  visit(root, noNames);
  return found;
}

/**
 * The first of two loop variables is the index of a list or the key of a map; the last is the value, which comes from
 * JSON if the range does.
 */
const loopNames = (variables: readonly string[], isOverJson: boolean): readonly (readonly [string, boolean])[] =>
  variables.map((name, at) => [name, isOverJson && (variables.length === 1 || at === 1)]);

/** Functions that are not examined: they accept JSON values, or only choose a branch, so a warning would not be certain. */
const harmless: ReadonlySet<string> = new Set(["_[_]", "_[?_]", "_?_:_", "dyn", "type", "!_"]);

/** Whether a call need not be examined: it compares with a literal, or an attribute with another. */
const isHarmless = ({ function: name, args }: Call): boolean => {
  if (harmless.has(name)) return true;
  const [left, right] = args;
  if (name === "@in") return right?.kind === "select" || (right?.kind === "list" && right.elements.every(isPlainLiteral));
  return comparisons.has(name) && (args.some(isPlainLiteral) || (left?.kind === "select" && right?.kind === "select"));
};

const isPlainLiteral = (tree: Expression): boolean => tree.kind === "literal" && !(tree.value instanceof Uint8Array);

const comparisons: ReadonlySet<string> = new Set(["_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"]);

function isJson(tree: Expression, bound: Bound): boolean {
  switch (tree.kind) {
    case "identifier":
      return tree.absolute !== true && bound.get(tree.name) === true;
    case "select":
      if (tree.test === true || tree.optional === true) return false;
      return isJson(tree.operand, bound) || isDatum(pathOf(tree, bound));
    case "call": {
      const [first, yes, no] = tree.args;
      if (tree.target !== undefined || first === undefined || yes === undefined) return false;
      if (tree.function === "_[_]") return isJson(first, bound) || isDatum(pathOf(tree, bound));
      return tree.function === "_?_:_" && no !== undefined && isJson(yes, bound) && isJson(no, bound);
    }
    default:
      return false;
  }
}

/** Whether a path leads to a JSON value of the request or to a constant. */
function isDatum(path: readonly string[] | undefined): boolean {
  const [root = "", ...steps] = path ?? [];
  const record = recordsByName.get(root);
  const [first, second, , claims] = steps;
  switch (record) {
    case "principal":
    case "resource":
      return first === "attr";
    case "constants":
      return first !== undefined;
    case "request":
      if (first === "principal" || first === "resource") return second === "attr";
      return (first === "auxData" || first === "aux_data") && (second === "jwt" || (second === "jwts" && claims === "claims"));
    default:
      return false;
  }
}

/**
 * Returns the names of `a.b["c"].d`, `?` for an index that is not a string literal; undefined if this is not a path
 * from a declared name.
 */
function pathOf(tree: Expression, bound: Bound): readonly string[] | undefined {
  if (tree.kind === "identifier") return tree.absolute !== true && bound.has(tree.name) ? undefined : [tree.name];
  if (tree.kind === "select" && tree.test !== true && tree.optional !== true) {
    const before = pathOf(tree.operand, bound);
    return before && [...before, tree.field];
  }
  if (tree.kind !== "call" || tree.function !== "_[_]") return undefined;
  const [operand, key] = tree.args;
  const before = operand && pathOf(operand, bound);
  return before && [...before, key?.kind === "literal" && typeof key.value === "string" ? key.value : "?"];
}
