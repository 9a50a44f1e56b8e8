/** Determines which parts of the runtime a set of units may use, from its programs and from the trees of its conditions. */
import { childrenOf } from "../../compiler/cel/children.ts";
import type { Bundle, BundledScope } from "../../runtime/bundle.ts";
import type { Call, Expression } from "../../runtime/cel/ast.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { readPlain } from "../../runtime/cel/plain-pattern.ts";
import { matchesPattern } from "../../runtime/cel/regex.ts";
import type { Condition } from "../../runtime/decide/condition.ts";
import { isPlainGlob } from "../../runtime/decide/glob.ts";
import { readTrees } from "../../runtime/decide/trees.ts";

/** What units may ask. */
export interface Parts {
  /** Whether something may ask the interpreter. */
  readonly interpreter: boolean;
  /** Whether rules tell something. */
  readonly outputs: boolean;
  /** Whether a record of the request may be taken as one value. */
  readonly records: boolean;
  /** Whether claims of tokens may be read. */
  readonly claims: boolean;
  /** Whether a pattern may need the machine. */
  readonly patterns: boolean;
  /** Whether `matches` can be called at once: no pattern needs the machine, and nobody looks for it by name. */
  readonly plainMatches: boolean;
  /** Whether a pattern of actions, roles or kinds may need the machine. */
  readonly globs: boolean;
  /** Whether there are principal policies. */
  readonly principals: boolean;
  /** Whether there are role policies. */
  readonly roles: boolean;
  /** Whether an expression may name a time zone. */
  readonly zones: boolean;
  /** Whether an expression may come to a type. */
  readonly types: boolean;
  /** Whether a function or operator, by its name, form and number of arguments, may be called. */
  readonly calls: (row: CalledRow) => boolean;
}

/** What tells functions apart. */
export interface CalledRow {
  readonly id: string;
  readonly name: string;
  readonly receiver: boolean;
  readonly arity: number;
}

/** Functions that members of the runtime call by themselves. */
const calledBy: { readonly [member: string]: readonly string[] } = {
  add: ["_+_"],
  subtract: ["_-_"],
  multiply: ["_*_"],
  divide: ["_/_"],
  remainder: ["_%_"],
  negate: ["-_"],
  index: ["_[_]"],
  sizeOf: ["size"],
};

/** Finds out; `wanted` puts the interpreter in also where no output needs it, and schemas may ask about patterns of their own. */
export function partsOf({ shapes, units }: Bundle, wanted: boolean, schemaPatterns: readonly string[] = []): Parts {
  const text = Object.values(shapes).join("\n");
  const outputs = text.includes("q.output(");
  // What is told of an output that fails is the interpreter's word.
  const interpreter = wanted || outputs;
  const calls = callsIn(units.flatMap(({ trees }) => expressionsIn(trees)));
  const names = new Set(namedIn(text));
  const patterns = calls.some(needsMachine) || schemaPatterns.some(takesMachine);
  const plainMatches = !interpreter && !patterns;
  if (plainMatches) names.delete("matches");
  if (interpreter) for (const call of calls) names.add(call.function);
  const records = interpreter || text.includes("q.record(");
  return {
    interpreter,
    outputs,
    records,
    // The one claims are read at once; all others, and claims that are looked for by name, within a record.
    claims: records || text.includes(".jwt"),
    patterns,
    plainMatches,
    globs: units.some(({ scopes }) => scopes.some(needsGlobMachine)),
    principals: units.some(({ type }) => type === "principal"),
    roles: units.some(({ type }) => type === "role"),
    types: interpreter || text.includes("rt.typeNamed(") || names.has("type") || names.has("#type"),
    zones: calls.some(({ function: name, args }) => name.startsWith("get") && args.length > 0),
    calls: ({ id, name }) => names.has(name) || names.has(`#${id}`),
  };
}

/** Whether a pattern of a policy is more than a beginning, a `*` and an end. */
const needsGlobMachine = ({ patterns, rows, schemas }: BundledScope): boolean =>
  patterns.some((pattern) => pattern.includes("*") && !isPlainGlob(pattern)) ||
  rows.some(({ actions }) => actions.some((match) => match.kind === "glob" && !isPlainGlob(match.pattern))) ||
  [schemas?.principal, schemas?.resource].some((schema) => schema?.ignoreWhen.some((pattern) => !isPlainGlob(pattern)) === true);

/** The functions that programs look up: by name, by overload (`#`), and those that the members they use stand for. */
function namedIn(text: string): readonly string[] {
  const byName = Array.from(text.matchAll(/\brt\.functionNamed\(("(?:[^"\\]|\\.)*")/g), ([, name = '""']): string => JSON.parse(name));
  const byId = Array.from(text.matchAll(/\brt\.overload\(("(?:[^"\\]|\\.)*")/g), ([, id = '""']) => `#${JSON.parse(id)}`);
  const members = Array.from(text.matchAll(/\brt\.(\w+)/g), ([, member = ""]) =>
    Object.hasOwn(calledBy, member) ? calledBy[member] : undefined,
  );
  return [...byName, ...byId, ...members.flatMap((called) => called ?? [])];
}

function expressionsIn(written: string): readonly Expression[] {
  const { policies, questions } = readTrees(written);
  const named = policies.flatMap((policy) => [policy, ...policy.derivedRoles]);
  return [
    ...named.flatMap(({ variables }) => variables.map(({ expression }) => expression.tree)),
    ...policies.flatMap(({ derivedRoles }) =>
      derivedRoles.flatMap(({ condition }) => (condition === undefined ? [] : inCondition(condition))),
    ),
    ...questions.flatMap((question) =>
      question.kind === "output" ? [question.expression.tree] : question.kind === "rule" ? inCondition(question.condition) : [],
    ),
  ];
}

const inCondition = (condition: Condition): readonly Expression[] =>
  condition.kind === "expression" ? [condition.expression.tree] : condition.of.flatMap(inCondition);

function callsIn(trees: readonly Expression[]): readonly Call[] {
  const calls: Call[] = [];
  const open = [...trees];
  for (let tree = open.pop(); tree !== undefined; tree = open.pop()) {
    if (tree.kind === "call") calls.push(tree);
    for (const child of childrenOf(tree)) open.push(child);
  }
  return calls;
}

/** Says whether a call may ask for more than where a text begins, ends, or what it holds. */
function needsMachine({ function: name, target, args }: Call): boolean {
  if (name.startsWith("regex.")) return true;
  if (name !== "matches") return false;
  const pattern = target === undefined ? args[1] : args[0];
  if (pattern?.kind !== "literal" || typeof pattern.value !== "string") return true;
  return takesMachine(pattern.value);
}

/** A pattern that is none is an error, which only the machine can tell. */
const takesMachine = (pattern: string): boolean => readPlain(pattern) === undefined || matchesPattern("", pattern) instanceof EvalError;
