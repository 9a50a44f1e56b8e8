/**
 * Caches the errors that depend on the caller alone. They are the same for each resource of a call, so they are found
 * only once.
 */
import type { Expression } from "../cel/ast.ts";
import type { Value } from "../cel/value.ts";
import type { CompiledExpression, Variable } from "./condition.ts";
import type { EvaluationError } from "./decision.ts";
import type { CheckInput } from "./input.ts";

/**
 * For one caller: the results of expressions, and the errors of whole lists of variables. The maps are created on
 * demand, because most callers need neither.
 */
export class CallerErrors {
  private expressions: Map<CompiledExpression, Outcome> | undefined = undefined;
  private variables: Map<readonly Variable[], readonly EvaluationError[]> | undefined = undefined;
  private readonly cached: CachedErrors[] = [];

  get ofExpressions(): Map<CompiledExpression, Outcome> {
    return (this.expressions ??= new Map());
  }

  /** The cached errors of a list of variables. */
  ofVariables(variables: readonly Variable[]): readonly EvaluationError[] | undefined {
    return this.variables?.get(variables);
  }
  cacheVariables(variables: readonly Variable[], errors: readonly EvaluationError[]): void {
    (this.variables ??= new Map()).set(variables, errors);
  }

  /** The cached errors of these variable sets of a unit. */
  ofSets(unit: object, sets: number): readonly EvaluationError[] | undefined {
    const { cached } = this;
    for (let at = 0; at < cached.length; at++) {
      const known = cached[at];
      if (known !== undefined && known.unit === unit && known.sets === sets) return known.errors;
    }
    return undefined;
  }
  cacheSets(unit: object, sets: number, errors: readonly EvaluationError[]): void {
    const { cached } = this;
    if (cached.length < maxCached) cached.push({ unit, sets, errors });
    else cached[0] = { unit, sets, errors };
  }
}

/** The errors found for a unit that depend on the caller alone; `sets` has one bit for each variable set they come from. */
interface CachedErrors {
  readonly unit: object;
  readonly sets: number;
  readonly errors: readonly EvaluationError[];
}

/** Small, because the list is searched for each input. */
const maxCached = 4;

/** A value, or the error instead. */
interface Outcome {
  readonly value: Value | undefined;
  readonly error: EvaluationError | undefined;
}

/**
 * Returns the cache of an input's caller. Consecutive inputs share it if their principal and claims are the same
 * objects.
 */
export function callerErrorCache(): (input: CheckInput) => CallerErrors {
  let last: CheckInput | undefined;
  let errors: CallerErrors | undefined;
  return (input) => {
    if (errors === undefined || input.principal !== last?.principal || input.auxData !== last.auxData) errors = emptyCallerErrors();
    last = input;
    return errors;
  };
}

/** An empty cache, for a single input. */
export const emptyCallerErrors = (): CallerErrors => new CallerErrors();

/**
 * Whether a tree reads nothing but the principal, the claims and the globals. Constants do not count: policies share
 * expressions, but each has its own constants.
 */
export function readsCallerOnly(tree: Expression): boolean {
  switch (tree.kind) {
    case "literal":
      return true;
    case "identifier":
      return callerNames.has(tree.name);
    case "select":
      return isCallerOfRequest(tree.operand, tree.field) || readsCallerOnly(tree.operand);
    case "call":
      return (tree.target === undefined || readsCallerOnly(tree.target)) && tree.args.every(readsCallerOnly);
    case "logic":
      return tree.terms.every(readsCallerOnly);
    case "list":
      return tree.elements.every(readsCallerOnly);
    default:
      // A macro may give such a name to something else.
      return false;
  }
}

const callerNames: ReadonlySet<string> = new Set(["P", "G", "globals"]);
const callerFields: ReadonlySet<string> = new Set(["principal", "auxData", "aux_data"]);

const isCallerOfRequest = (operand: Expression, field: string): boolean =>
  operand.kind === "identifier" && operand.name === "request" && callerFields.has(field);
