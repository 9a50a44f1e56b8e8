/** Caches the errors that depend on the caller alone: they are the same for each resource of a call, so they are named once. */
import type { Expression } from "../cel/ast.ts";
import type { Value } from "../cel/value.ts";
import type { CompiledExpression, Variable } from "./condition.ts";
import type { EvaluationError } from "./decision.ts";
import type { CheckInput } from "./input.ts";

/** What expressions came to, and what all variables of a policy or role failed with, for one caller. Most callers need neither map. */
export class CallerErrors {
  private expressions: Map<CompiledExpression, Outcome> | undefined = undefined;
  private variables: Map<readonly Variable[], readonly EvaluationError[]> | undefined = undefined;
  private readonly named: Named[] = [];

  get ofExpressions(): Map<CompiledExpression, Outcome> {
    return (this.expressions ??= new Map());
  }

  /** What these variables failed with. */
  ofVariables(variables: readonly Variable[]): readonly EvaluationError[] | undefined {
    return this.variables?.get(variables);
  }
  noteVariables(variables: readonly Variable[], errors: readonly EvaluationError[]): void {
    (this.variables ??= new Map()).set(variables, errors);
  }

  /** The errors of these sets of variables of a unit, where they were named a moment ago. */
  ofSets(unit: object, sets: number): readonly EvaluationError[] | undefined {
    const { named } = this;
    for (let at = 0; at < named.length; at++) {
      const known = named[at];
      if (known !== undefined && known.unit === unit && known.sets === sets) return known.errors;
    }
    return undefined;
  }
  noteSets(unit: object, sets: number, errors: readonly EvaluationError[]): void {
    const { named } = this;
    if (named.length < mostNamed) named.push({ unit, sets, errors });
    else named[0] = { unit, sets, errors };
  }
}

/** What was named of a unit, where it followed from the caller alone: of which of its sets of variables, one bit each. */
interface Named {
  readonly unit: object;
  readonly sets: number;
  readonly errors: readonly EvaluationError[];
}

/** What is looked through for each input. */
const mostNamed = 4;

/** A value, or why there is none. */
interface Outcome {
  readonly value: Value | undefined;
  readonly error: EvaluationError | undefined;
}

/** Opens the memory of one call: of its inputs those have the same errors whose caller is the same object. */
export function rememberingCallers(): (input: CheckInput) => CallerErrors {
  let last: CheckInput | undefined;
  let errors: CallerErrors | undefined;
  return (input) => {
    if (errors === undefined || input.principal !== last?.principal || input.auxData !== last.auxData) errors = noneKnown();
    last = input;
    return errors;
  };
}

/** Of an input that shares nothing with others. */
export const noneKnown = (): CallerErrors => new CallerErrors();

/** Says whether a tree can read nothing but the principal, the claims and the globals. Policies share expressions: constants are each one's own. */
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
