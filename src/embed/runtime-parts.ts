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

/** The parts that units may use. */
export interface RuntimeParts {
  /** Whether the interpreter may be called. */
  readonly interpreter: boolean;
  /** Whether a rule has outputs. */
  readonly outputs: boolean;
  /** Whether the request's principal or resource may be used as a whole value. */
  readonly records: boolean;
  /** Whether claims of tokens may be read. */
  readonly claims: boolean;
  /** Whether a regular expression may need the regex engine. */
  readonly patterns: boolean;
  /** Whether `matches` can be replaced by a direct call: no pattern needs the regex engine, and the function is not looked up by name. */
  readonly plainMatches: boolean;
  /** Whether a pattern of actions, roles or kinds may need the glob engine. */
  readonly globs: boolean;
  /** Whether there are principal policies. */
  readonly principals: boolean;
  /** Whether there are role policies. */
  readonly roles: boolean;
  /** Whether an expression may use a time zone. */
  readonly zones: boolean;
  /** Whether an expression may evaluate to a type. */
  readonly types: boolean;
  /** Returns whether a function or operator with this name, form and number of arguments may be called. */
  readonly calls: (row: FunctionSignature) => boolean;
}

/** What identifies a function. */
export interface FunctionSignature {
  readonly id: string;
  readonly name: string;
  readonly receiver: boolean;
  readonly arity: number;
}

/** The functions that members of the runtime call internally. */
const functionsCalledBy: { readonly [member: string]: readonly string[] } = {
  add: ["_+_"],
  subtract: ["_-_"],
  multiply: ["_*_"],
  divide: ["_/_"],
  remainder: ["_%_"],
  negate: ["-_"],
  index: ["_[_]"],
  sizeOf: ["size"],
};

/**
 * Determines the parts. `wanted` includes the interpreter even where no output needs it; `schemaPatterns` are the regular expressions
 * of schemas.
 */
export function findRuntimeParts({ shapes, units }: Bundle, wanted: boolean, schemaPatterns: readonly string[] = []): RuntimeParts {
  const text = Object.values(shapes).join("\n");
  const outputs = text.includes("q.output(");
  // Errors in outputs are reported with the interpreter's message.
  const interpreter = wanted || outputs;
  const calls = callsIn(units.flatMap(({ trees }) => expressionsIn(trees)));
  const names = new Set(namedIn(text));
  const patterns = calls.some(needsRegexEngine) || schemaPatterns.some(patternNeedsRegexEngine);
  const plainMatches = !interpreter && !patterns;
  if (plainMatches) names.delete("matches");
  if (interpreter) for (const call of calls) names.add(call.function);
  const records = interpreter || text.includes("q.record(");
  return {
    interpreter,
    outputs,
    records,
    // `request.auxData.jwt` is read directly; several tokens, and claims looked up by name, are read through the record.
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

/** Returns whether a pattern of a policy is more than a prefix, a `*` and a suffix. */
const needsGlobMachine = ({ patterns, rows, schemas }: BundledScope): boolean =>
  patterns.some((pattern) => pattern.includes("*") && !isPlainGlob(pattern)) ||
  rows.some(({ actions }) => actions.some((match) => match.kind === "glob" && !isPlainGlob(match.pattern))) ||
  [schemas?.principal, schemas?.resource].some((schema) => schema?.ignoreWhen.some((pattern) => !isPlainGlob(pattern)) === true);

/** Returns the functions that programs look up: by name, by overload (`#`), and those that the runtime members they use call. */
function namedIn(text: string): readonly string[] {
  const byName = Array.from(text.matchAll(/\brt\.functionNamed\(("(?:[^"\\]|\\.)*")/g), ([, name = '""']): string => JSON.parse(name));
  const byId = Array.from(text.matchAll(/\brt\.overload\(("(?:[^"\\]|\\.)*")/g), ([, id = '""']) => `#${JSON.parse(id)}`);
  const members = Array.from(text.matchAll(/\brt\.(\w+)/g), ([, member = ""]) =>
    Object.hasOwn(functionsCalledBy, member) ? functionsCalledBy[member] : undefined,
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

/** Returns whether a call may need the regex engine: any pattern beyond a prefix, suffix or substring test. */
function needsRegexEngine({ function: name, target, args }: Call): boolean {
  if (name.startsWith("regex.")) return true;
  if (name !== "matches") return false;
  const pattern = target === undefined ? args[1] : args[0];
  if (pattern?.kind !== "literal" || typeof pattern.value !== "string") return true;
  return patternNeedsRegexEngine(pattern.value);
}

/** An invalid pattern needs the engine too, which reports its error. */
const patternNeedsRegexEngine = (pattern: string): boolean =>
  readPlain(pattern) === undefined || matchesPattern("", pattern) instanceof EvalError;
