/** Creates a query with its environment. */
import type { EvaluationContext } from "../cel/declare.ts";
import type { Value } from "../cel/value.ts";
import { noteText } from "../cel/work.ts";
import type { CheckInput } from "./input.ts";
import { type HeldRoles, type QueryEnvironment, noEnvironment, Query } from "./query.ts";

/** Reports the length of the program's longest string, which its conditions may compare, and creates a query. */
export function openQuery(
  input: CheckInput,
  globals: { readonly [name: string]: Value },
  context: EvaluationContext,
  environment: QueryEnvironment = noEnvironment,
): Query {
  noteText(environment.prices.longestText);
  return new Query(input, globals, context, environment, true);
}

/**
 * The environment of a query without outputs: the program itself, which supplies the prices, with the roles held if they
 * were computed.
 */
export const environmentOf = (program: QueryEnvironment, heldRoles: HeldRoles | undefined): QueryEnvironment =>
  heldRoles === undefined ? program : { onOutput: undefined, holdsStrictly: undefined, prices: program.prices, heldRoles };
