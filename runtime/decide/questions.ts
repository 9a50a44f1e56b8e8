/** Re-evaluates the conditions of a unit with the interpreter: their results, and every error on the way. */
import type { EvaluationContext } from "../cel/declare.ts";
import { EvalError, invariant } from "../cel/error.ts";
import { type Bindings, evaluate } from "../cel/evaluate/evaluate.ts";
import type { Value } from "../cel/value.ts";
import { InputRecords, policyBindings } from "./activation.ts";
import { type CallerErrors, emptyCallerErrors } from "./caller-errors.ts";
import { type Evaluating, evaluateCondition, evaluateVariables, type OnError } from "./evaluate-condition.ts";
import type { Condition, WhenFailed } from "./condition.ts";
import type { EvaluationError } from "./decision.ts";
import { evaluatingFor } from "./evaluating.ts";
import type { CheckInput } from "./input.ts";
import type { Names, Question, UnitTrees } from "./trees.ts";

/** What the interpreter needs to know about one input. */
export interface InterpreterContext {
  readonly trees: UnitTrees;
  readonly input: CheckInput;
  readonly globals: { readonly [name: string]: Value };
  readonly context: EvaluationContext;
  /** Under strict evaluation a failed variable is always unset, never null. */
  readonly strict: boolean;
  /**
   * The derived roles of a policy; or, if computing them failed under strict evaluation, the error of reading
   * `runtime`.
   */
  readonly effectiveDerivedRoles: (policy: number) => readonly string[] | EvalError;
  /** Evaluated variables: once for each policy, however many conditions read them. */
  readonly activations: Activation[];
  /** The messages of the input, shared by all. */
  readonly records: InputRecords;
  readonly callerErrors: CallerErrors;
  /** Evaluates as the interpreter does. */
  readonly evaluating: Evaluating;
}

/** A case before anything is evaluated. */
type Unopened = Omit<InterpreterContext, "activations" | "records" | "callerErrors" | "evaluating">;

/**
 * Opens the case of an input. Field by field, because object spread takes ten times as long and this runs for every
 * input whose errors are reported.
 */
export const openInterpreterContext = (
  { trees, input, globals, context, strict, effectiveDerivedRoles }: Unopened,
  callerErrors: CallerErrors = emptyCallerErrors(),
): InterpreterContext => ({
  trees,
  input,
  globals,
  context,
  strict,
  effectiveDerivedRoles,
  activations: [],
  records: new InputRecords(input),
  callerErrors,
  evaluating: evaluatingFor(callerErrors),
});

/** The names of a policy or derived role with all variables evaluated, and the errors of the variables. */
interface Activation {
  readonly names: Names;
  readonly roles: readonly string[] | EvalError;
  readonly whenFailed: WhenFailed;
  readonly bindings: Bindings;
  readonly errors: readonly EvaluationError[];
}

/** Evaluates a question and reports each error; returns whether it holds. */
export function evaluateQuestion(of: InterpreterContext, question: Question, onError: OnError, onVariableError: OnError): boolean {
  const policy = of.trees.policies[question.policy];
  if (policy === undefined || question.kind === "policy" || question.kind === "output") return true;
  if (question.kind === "rule") {
    return holds(of, question.condition, policy, of.effectiveDerivedRoles(question.policy), "unset", quietly, onError);
  }
  const role = policy.derivedRoles[question.role];
  if (role?.condition === undefined) return true;
  // While derived roles are being computed, none are visible.
  const found = question.kind === "matched" ? of.effectiveDerivedRoles(question.policy) : none;
  const whenFailed = question.kind === "matched" || of.strict ? "unset" : "null";
  return holds(of, role.condition, role, found, whenFailed, onVariableError, onError);
}

/** Evaluates an output with the interpreter. Errors of variables are not reported here. */
export function evaluateOutput(of: InterpreterContext, index: number): Value | EvalError {
  const question = of.trees.questions[index];
  const policy = question && of.trees.policies[question.policy];
  invariant(question?.kind === "output" && policy !== undefined, "a unit has a tree for each output that its program tells");
  const bindings = activate(of, policy, of.effectiveDerivedRoles(question.policy), "unset", quietly);
  return evaluate(question.expression.tree, bindings, of.context);
}

/** Returns the errors of a policy's variables. All are evaluated as soon as its first row is considered. */
export function variableErrors(of: InterpreterContext, policy: number): readonly EvaluationError[] {
  const names = of.trees.policies[policy];
  if (names === undefined) return none;
  if (!names.variables.every(({ expression }) => expression.ofCaller === true))
    return activation(of, names, of.effectiveDerivedRoles(policy), "unset").errors;
  const errors = errorsOfCaller(of, names);
  of.callerErrors.cacheVariables(names.variables, errors);
  return errors;
}

/** The errors of variables that depend on the caller alone; such variables cannot read one another. */
function errorsOfCaller(of: InterpreterContext, names: Names): readonly EvaluationError[] {
  const errors: EvaluationError[] = [];
  const bindings = bind(of, names, noVariables, none);
  for (const { expression } of names.variables) of.evaluating(expression, bindings, of.context, (error) => errors.push(error));
  return errors;
}

function quietly(): void {}

const none: readonly never[] = Object.freeze([]);
const noVariables: ReadonlyMap<string, Value> = new Map();

/** Whether a condition holds. Errors of variables and of the condition are reported separately. */
function holds(
  of: InterpreterContext,
  condition: Condition,
  names: Names,
  roles: readonly string[] | EvalError,
  whenFailed: WhenFailed,
  onVariableError: OnError,
  onError: OnError,
): boolean {
  const bindings = activate(of, names, roles, whenFailed, onVariableError);
  if (!of.strict) return evaluateCondition(condition, bindings, of.context, onError, of.evaluating);
  // Under strict evaluation the first error ends the condition.
  let first: EvaluationError | undefined;
  const held = evaluateCondition(condition, bindings, of.context, (error) => (first ??= error), of.evaluating);
  if (first !== undefined) onError(first);
  return held;
}

/** Binds all names, with all variables evaluated. A failed variable is unset or null, also for the variables after it. */
function activate(
  of: InterpreterContext,
  names: Names,
  roles: readonly string[] | EvalError,
  whenFailed: WhenFailed,
  onError: OnError,
): Bindings {
  const { bindings, errors } = activation(of, names, roles, whenFailed);
  errors.forEach(onError);
  return bindings;
}

/** Returns the bindings of names with their errors, through the cache. */
function activation(of: InterpreterContext, names: Names, roles: readonly string[] | EvalError, whenFailed: WhenFailed): Activation {
  for (const known of of.activations)
    if (known.names === names && known.whenFailed === whenFailed && sameRoles(known.roles, roles)) return known;
  return openActivation(of, names, roles, whenFailed);
}

function openActivation(of: InterpreterContext, names: Names, roles: readonly string[] | EvalError, whenFailed: WhenFailed): Activation {
  if (names.variables.length === 0) {
    const opened = { names, roles, whenFailed, bindings: bind(of, names, noVariables, roles), errors: none };
    of.activations.push(opened);
    return opened;
  }
  const errors: EvaluationError[] = [];
  let bindings: Bindings | undefined;
  evaluateVariables(
    names.variables,
    (soFar) => (bindings = bind(of, names, soFar, roles)),
    of.context,
    (error) => errors.push(error),
    whenFailed,
    of.evaluating,
  );
  invariant(bindings !== undefined, "variables are evaluated with bindings");
  const opened = { names, roles, whenFailed, bindings, errors };
  of.activations.push(opened);
  return opened;
}

/** Errors are compared by message, because each read creates a new one. */
const sameRoles = (left: Activation["roles"], right: Activation["roles"]): boolean =>
  left === right || (left instanceof EvalError && right instanceof EvalError && left.message === right.message);

function bind(of: InterpreterContext, names: Names, variables: ReadonlyMap<string, Value>, roles: readonly string[] | EvalError): Bindings {
  const { constants } = names;
  const effectiveDerivedRoles = roles instanceof EvalError ? none : roles;
  const bindings = policyBindings(of.input, { globals: of.globals, constants, variables, effectiveDerivedRoles }, of.records);
  return roles instanceof EvalError ? (name) => (name === "runtime" ? roles : bindings(name)) : bindings;
}
