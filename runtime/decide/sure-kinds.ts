/** Infers the kinds of an expression's result, and what it needs for that: abstract interpretation by the interpreter's rules, without values. */
import type { Call, Expression, List, Logic, Loop, Select } from "../cel/ast.ts";
import { type AttributeRead, attributeRead, fieldRead, isName } from "./attribute-read.ts";
import { Needed } from "./needed.ts";
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
  mostElements,
  numbers,
  short,
  text,
  texts,
  truth,
} from "./value-kinds.ts";

/** What is known where an expression stands. */
export interface Place {
  readonly needed: Needed;
  /** What a policy or role gives names to. */
  readonly names: KnownNames;
  /** Attributes without which nothing depends on what this expression comes to. */
  readonly present: Present | undefined;
  /** What the variables of the loop around it may be; undefined outside of one. */
  readonly turn: ReadonlyMap<string, Kinds> | undefined;
}

/** The names V and C of one policy or role. */
export interface KnownNames {
  readonly variable: (name: string) => KnownVariable | undefined;
  /** None where there is no such constant. */
  readonly constant: (name: string) => Kinds;
}

/** A variable that is sure to have a value where there is what it needs. */
export interface KnownVariable {
  readonly kinds: Kinds;
  readonly needed: Needed;
  /** Where it is nothing but an attribute. */
  readonly read: AttributeRead | undefined;
}

/**
 * Returns the kinds that a tree may come to, none where it may fail whatever the attributes are. An attribute is asked to be of the
 * kinds that are wished, which is noted.
 */
export function sureKinds(tree: Expression, wished: Kinds, at: Place): Kinds {
  switch (tree.kind) {
    case "literal":
      return kindsOf(tree.value);
    case "identifier":
      return tree.absolute === true ? 0 : (at.turn?.get(tree.name) ?? 0);
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

/** Says whether a tree is sure to come to one of some kinds. */
function isSure(tree: Expression, kinds: Kinds, at: Place): boolean {
  const found = sureKinds(tree, kinds, at);
  return found !== 0 && (found & ~kinds) === 0;
}

function kindsOfSelect(tree: Select, wished: Kinds, at: Place): Kinds {
  if (tree.optional === true) return 0;
  const read = openRead(tree, at);
  if (read !== undefined) return kindsOfRead(read, wished, at);
  if (tree.test === true) return attributeRead(tree, at.turn) === undefined ? 0 : truth;
  if (isName(tree.operand, "C", at.turn) || isName(tree.operand, "constants", at.turn)) return at.names.constant(tree.field);
  const variable = variableRead(tree, at);
  if (variable === undefined) return fieldRead(tree, at.turn) ?? 0;
  at.needed.noteAll(variable.needed);
  return variable.kinds;
}

/** Whether a tree stands for an attribute. */
const isOpen = (tree: Expression, at: Place): boolean => openRead(tree, at) !== undefined;

/** What stands for an attribute, of which any kind may be asked. */
function openRead(tree: Expression, at: Place): AttributeRead | KnownVariable | undefined {
  if (tree.kind !== "select" || tree.test === true || tree.optional === true) return undefined;
  const variable = variableRead(tree, at);
  return variable?.read === undefined ? attributeRead(tree, at.turn) : variable;
}

function variableRead({ operand, field, test }: Select, { names, turn }: Place): KnownVariable | undefined {
  return test !== true && (isName(operand, "V", turn) || isName(operand, "variables", turn)) ? names.variable(field) : undefined;
}

function kindsOfRead(read: AttributeRead | KnownVariable, wished: Kinds, { needed, present }: Place): Kinds {
  const kinds = wished === any ? any : wished & json;
  if ("needed" in read) {
    // A variable is evaluated before anybody asks whether its attribute is there.
    needed.noteAll(read.needed);
    if (read.read !== undefined) needed.note(read.read, kinds);
  } else needed.note(read, isPresent(present, read) ? kinds | absent : kinds);
  return kinds;
}

function kindsOfCall({ function: name, target, args, overload }: Call, at: Place): Kinds {
  const isMethod = target !== undefined;
  const arity = args.length + (isMethod ? 1 : 0);
  const [first, second] = isMethod ? [target, args[0]] : args;
  // The checker has guessed at one overload: what else the function takes does not count.
  if (overload !== undefined || first === undefined || arity > 2) return 0;
  // What stands for an attribute is asked to be what the call takes of it.
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

/** Each branch is there for one answer. */
function kindsOfChoice({ args: [condition, yes, no] }: Call, wished: Kinds, at: Place): Kinds {
  if (condition === undefined || yes === undefined || no === undefined || !isSure(condition, truth, at)) return 0;
  const [one, other] = [sureKinds(yes, wished, whereCame(condition, true, at)), sureKinds(no, wished, whereCame(condition, false, at))];
  return one === 0 || other === 0 ? 0 : one | other;
}

/** A term that asks whether an attribute is there decides without it, wherever it stands. */
function kindsOfLogic(tree: Logic, at: Place): Kinds {
  const inside = whereCame(tree, tree.operator === "&&", at);
  return tree.terms.every((term) => isSure(term, truth, inside)) ? truth : 0;
}

/** The place of what counts only where a condition has come to true, or to false. */
function whereCame(condition: Expression, outcome: boolean, at: Place): Place {
  const { needed, names, present, turn } = at;
  const found = addProven(condition, outcome, turn);
  return found === undefined ? at : { needed, names, present: { found, outer: present }, turn };
}

function kindsOfList({ elements, optionals }: List, at: Place): Kinds {
  if (optionals.length > 0) return 0;
  let all = 0;
  for (const element of elements) {
    const kinds = sureKinds(element, any, at);
    if (kinds === 0) return 0;
    all |= kinds;
  }
  return elements.length > mostElements ? long : (all & ~text) === 0 ? texts : (all & ~finite) === 0 ? numbers : short;
}

/** Short lists of which the elements are known, and what these are: of any attribute one of them may be asked. */
const ranges: readonly (readonly [range: Kinds, element: Kinds])[] = [
  [short, any],
  [texts, text],
  [numbers, finite],
];

/** Loops in loops take more turns than anybody should reckon with. */
function kindsOfLoop(tree: Loop, at: Place): Kinds {
  if (at.turn !== undefined) return 0;
  // Read once, whatever is tried of its elements: in it may be a loop again, and in that one too.
  const ofRange = new Needed();
  const given = isOpen(tree.range, at) ? open : sureKinds(tree.range, short, { ...at, needed: ofRange });
  if (given === 0) return 0;
  const [first, second] = tree.variables;
  for (const [range, element] of ranges) {
    // What the others would have asked of the attributes does not count.
    const needed = new Needed();
    const turn = new Map(
      second === undefined
        ? [[first, element]]
        : [
            [first, int],
            [second, element],
          ],
    );
    const isIn = given === open ? isSure(tree.range, range, { ...at, needed }) : isAmong(given, range);
    const kinds = isIn ? kindsOfTurns(tree, { ...at, needed, turn }) : 0;
    if (kinds === 0) continue;
    at.needed.noteAll(ofRange);
    at.needed.noteAll(needed);
    at.needed.noteTurns(mostElements);
    return kinds;
  }
  return 0;
}

function kindsOfTurns({ macro, body, filter }: Loop, inside: Place): Kinds {
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
