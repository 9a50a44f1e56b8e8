/** Errors that the caller's part of a request is the whole reason of: the same for each resource of a call, so named once. */
import type { Expression } from "../cel/ast.ts";
import type { Value } from "../cel/value.ts";
import type { CompiledExpression, Variable } from "./condition.ts";
import type { EvaluationError } from "./decision.ts";
import type { CheckInput } from "./input.ts";

/** What expressions came to, and what all variables of a policy or role failed with, for one caller. */
export interface CallerErrors {
  readonly ofExpressions: Map<CompiledExpression, Outcome>;
  readonly ofVariables: Map<readonly Variable[], readonly EvaluationError[]>;
}

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
export const noneKnown = (): CallerErrors => ({ ofExpressions: new Map(), ofVariables: new Map() });

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
