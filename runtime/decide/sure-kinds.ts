/**
 * Infers the possible kinds of an expression's result and the attributes needed for them: abstract interpretation by
 * the interpreter's rules.
 */
import type { Call, Expression, List, Logic, Loop, Select } from "../cel/ast.ts";
import { type AttributeRead, attributeRead, fieldRead, isName } from "./attribute-read.ts";
import { NeedsCollector } from "./needs-collector.ts";
import { addProven, isPresent, type Present } from "./proofs.ts";
import { sureCallsOf } from "./sure-calls.ts";
import {
  absent,
  any,
  finite,
  int,
  json,
  type Kinds,
  kindsOf,
  long,
  maxElements,
  numbers,
  short,
  text,
  texts,
  truth,
} from "./value-kinds.ts";

/** What is known at an expression. */
export interface Place {
  readonly needed: NeedsCollector;
  /** Variables and constants of the policy or role. */
  readonly names: KnownNames;
  /** Attributes known to exist wherever the result of this expression matters. */
  readonly present: Present | undefined;
  /** Kinds of the variables of the enclosing loop; undefined outside of loops. */
  readonly iteration: ReadonlyMap<string, Kinds> | undefined;
}

/** The names in V and C of one policy or role. */
export interface KnownNames {
  readonly variable: (name: string) => KnownVariable | undefined;
  /** Zero if there is no such constant. */
  readonly constant: (name: string) => Kinds;
}

/** A variable that cannot fail if its needs are met. */
export interface KnownVariable {
  readonly kinds: Kinds;
  readonly needed: NeedsCollector;
  /** Set if the variable is just an attribute. */
  readonly read: AttributeRead | undefined;
}

/**
 * Returns the kinds that a tree may evaluate to; zero if it may fail whatever the attributes are. An attribute is
 * required to have one of the `wished` kinds, which is added to the needs.
 */
export function sureKinds(tree: Expression, wished: Kinds, at: Place): Kinds {
  switch (tree.kind) {
    case "literal":
      return kindsOf(tree.value);
    case "identifier":
      return tree.absolute === true ? 0 : (at.iteration?.get(tree.name) ?? 0);
    case "select":
      return kindsOfSelect(tree, wished, at);
    case "call":
      return tree.function === "_?_:_" ? kindsOfChoice(tree, wished, at) : kindsOfCall(tree, at);
    case "logic":
      return kindsOfLogic(tree, at);
    case "list":
      return kindsOfList(tree, at);
    case "loop":
      return kindsOfLoop(tree, at);
    default:
      return 0;
  }
}

/** Whether a tree certainly evaluates to one of some kinds. */
function isSure(tree: Expression, kinds: Kinds, at: Place): boolean {
  const found = sureKinds(tree, kinds, at);
  return found !== 0 && (found & ~kinds) === 0;
}

function kindsOfSelect(tree: Select, wished: Kinds, at: Place): Kinds {
  if (tree.optional === true) return 0;
  const read = openRead(tree, at);
  if (read !== undefined) return kindsOfRead(read, wished, at);
  if (tree.test === true) return attributeRead(tree, at.iteration) === undefined ? 0 : truth;
  if (isName(tree.operand, "C", at.iteration) || isName(tree.operand, "constants", at.iteration)) return at.names.constant(tree.field);
  const variable = variableRead(tree, at);
  if (variable === undefined) return fieldRead(tree, at.iteration) ?? 0;
  at.needed.noteAll(variable.needed);
  return variable.kinds;
}

/** Whether a tree is an attribute, so that any kind can be required of it. */
const isOpen = (tree: Expression, at: Place): boolean => openRead(tree, at) !== undefined;

/** The attribute, or the variable that is just an attribute. */
function openRead(tree: Expression, at: Place): AttributeRead | KnownVariable | undefined {
  if (tree.kind !== "select" || tree.test === true || tree.optional === true) return undefined;
  const variable = variableRead(tree, at);
  return variable?.read === undefined ? attributeRead(tree, at.iteration) : variable;
}

function variableRead({ operand, field, test }: Select, { names, iteration }: Place): KnownVariable | undefined {
  return test !== true && (isName(operand, "V", iteration) || isName(operand, "variables", iteration)) ? names.variable(field) : undefined;
}

function kindsOfRead(read: AttributeRead | KnownVariable, wished: Kinds, { needed, present }: Place): Kinds {
  const kinds = wished === any ? any : wished & json;
  if ("needed" in read) {
    // A variable is evaluated before any test whether its attribute exists.
    needed.noteAll(read.needed);
    if (read.read !== undefined) needed.note(read.read, kinds);
  } else needed.note(read, isPresent(present, read) ? kinds | absent : kinds);
  return kinds;
}

function kindsOfCall({ function: name, target, args, overload }: Call, at: Place): Kinds {
  const isMethod = target !== undefined;
  const arity = args.length + (isMethod ? 1 : 0);
  const [first, second] = isMethod ? [target, args[0]] : args;
  // The checker chose a single overload by guess; the others must not be used.
  if (overload !== undefined || first === undefined || arity > 2) return 0;
  // An attribute is required to have the parameter's kinds.
  const one = isOpen(first, at) ? open : sureKinds(first, any, at);
  const other = second === undefined || isOpen(second, at) ? open : sureKinds(second, any, at);
  if (one === 0 || other === 0) return 0;
  for (const { receiver, parameters, result } of sureCallsOf(name)) {
    const [left = 0, right = 0] = parameters;
    if (receiver !== isMethod || parameters.length !== arity || !isAmong(one, left) || !isAmong(other, right)) continue;
    const areSure = (one !== open || isSure(first, left, at)) && (other !== open || second === undefined || isSure(second, right, at));
    return areSure ? result : 0;
  }
  return 0;
}

const open = -1;
const isAmong = (kinds: Kinds, among: Kinds): boolean => kinds === open || (kinds & ~among) === 0;

/** Each branch is evaluated only for one outcome of the condition. */
function kindsOfChoice({ args: [condition, yes, no] }: Call, wished: Kinds, at: Place): Kinds {
  if (condition === undefined || yes === undefined || no === undefined || !isSure(condition, truth, at)) return 0;
  const [one, other] = [sureKinds(yes, wished, whereCame(condition, true, at)), sureKinds(no, wished, whereCame(condition, false, at))];
  return one === 0 || other === 0 ? 0 : one | other;
}

/** A term that tests for an attribute decides without it, in any position. */
function kindsOfLogic(tree: Logic, at: Place): Kinds {
  const inside = whereCame(tree, tree.operator === "&&", at);
  return tree.terms.every((term) => isSure(term, truth, inside)) ? truth : 0;
}

/** The context of a part that matters only if the condition is true, or only if it is false. */
function whereCame(condition: Expression, outcome: boolean, at: Place): Place {
  const { needed, names, present, iteration } = at;
  const found = addProven(condition, outcome, iteration);
  return found === undefined ? at : { needed, names, present: { found, outer: present }, iteration };
}

function kindsOfList({ elements, optionals }: List, at: Place): Kinds {
  if (optionals.length > 0) return 0;
  let all = 0;
  for (const element of elements) {
    const kinds = sureKinds(element, any, at);
    if (kinds === 0) return 0;
    all |= kinds;
  }
  return elements.length > maxElements ? long : (all & ~text) === 0 ? texts : (all & ~finite) === 0 ? numbers : short;
}

/** Short lists of known element kinds; an attribute can be required to be one of them. */
const ranges: readonly (readonly [range: Kinds, element: Kinds])[] = [
  [short, any],
  [texts, text],
  [numbers, finite],
];

/** Nested loops may take too many steps, so they are not analysed. */
function kindsOfLoop(tree: Loop, at: Place): Kinds {
  if (at.iteration !== undefined) return 0;
  // Analysed once, before the alternatives: the range may contain a loop itself, so repeating it would be
  // exponential.
  const ofRange = new NeedsCollector();
  const given = isOpen(tree.range, at) ? open : sureKinds(tree.range, short, { ...at, needed: ofRange });
  if (given === 0) return 0;
  const [first, second] = tree.variables;
  for (const [range, element] of ranges) {
    // Discard the needs of alternatives that do not fit.
    const needed = new NeedsCollector();
    const iteration = new Map(
      second === undefined
        ? [[first, element]]
        : [
            [first, int],
            [second, element],
          ],
    );
    const isIn = given === open ? isSure(tree.range, range, { ...at, needed }) : isAmong(given, range);
    const kinds = isIn ? kindsOfIterations(tree, { ...at, needed, iteration }) : 0;
    if (kinds === 0) continue;
    at.needed.noteAll(ofRange);
    at.needed.noteAll(needed);
    at.needed.noteSteps(maxElements);
    return kinds;
  }
  return 0;
}

function kindsOfIterations({ macro, body, filter }: Loop, inside: Place): Kinds {
  if (filter !== undefined && !isSure(filter, truth, inside)) return 0;
  switch (macro) {
    case "all":
    case "exists":
    case "existsOne":
      return isSure(body, truth, inside) ? truth : 0;
    case "filter":
      return isSure(body, truth, inside) ? short : 0;
    case "map":
    case "transformList":
      return sureKinds(body, any, inside) === 0 ? 0 : short;
    default:
      return 0;
  }
}
