/** Errors that the caller's part of a request is the whole reason of: the same for each resource of a call, so named once. */
import type { Expression } from "../cel/ast.ts";
import type { CompiledExpression } from "./condition.ts";
import type { EvaluationError } from "./decision.ts";
import type { CheckInput } from "./input.ts";
import type { Names } from "./trees.ts";

/** What expressions, and all variables of a policy or role, failed with for one caller. */
export interface CallerErrors {
  readonly ofExpressions: Map<CompiledExpression, EvaluationError>;
  readonly ofVariables: Map<Names, readonly EvaluationError[]>;
}

/** Opens the memory of one call: of its inputs those have the same errors whose caller is the same object. */
export function rememberingCallers(): (input: CheckInput) => CallerErrors {
  let last: CheckInput | undefined;
  let errors = noneKnown();
  return (input) => {
    if (input.principal !== last?.principal || input.auxData !== last.auxData) errors = noneKnown();
    last = input;
    return errors;
  };
}

/** Of an input that shares nothing with others. */
export const noneKnown = (): CallerErrors => ({ ofExpressions: new Map(), ofVariables: new Map() });

const callerOnly = new WeakMap<Expression, boolean>();

/** Says whether a tree can read nothing but the principal, the claims and the globals. Policies share expressions: constants are each one's own. */
export function readsCallerOnly(tree: Expression): boolean {
  const known = callerOnly.get(tree);
  if (known !== undefined) return known;
  const found = isOfCaller(tree);
  callerOnly.set(tree, found);
  return found;
}

function isOfCaller(tree: Expression): boolean {
  switch (tree.kind) {
    case "literal":
      return true;
    case "identifier":
      return callerNames.has(tree.name);
    case "select":
      return isCallerOfRequest(tree.operand, tree.field) || isOfCaller(tree.operand);
    case "call":
      return (tree.target === undefined || isOfCaller(tree.target)) && tree.args.every(isOfCaller);
    case "logic":
      return tree.terms.every(isOfCaller);
    case "list":
      return tree.elements.every(isOfCaller);
    default:
      // A macro may give such a name to something else.
      return false;
  }
}

const callerNames: ReadonlySet<string> = new Set(["P", "G", "globals"]);
const callerFields: ReadonlySet<string> = new Set(["principal", "auxData", "aux_data"]);

const isCallerOfRequest = (operand: Expression, field: string): boolean =>
  operand.kind === "identifier" && operand.name === "request" && callerFields.has(field);
