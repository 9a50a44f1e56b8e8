/** Creates a query with its listener. */
import type { EvaluationContext } from "../cel/declare.ts";
import type { Value } from "../cel/value.ts";
import { noteText } from "../cel/work.ts";
import type { CheckInput } from "./input.ts";
import { type HeldRoles, type Listener, nobody, Query } from "./query.ts";

/** Reports the length of the program's longest string, which its conditions may compare, and creates a query. */
export function openQuery(
  input: CheckInput,
  globals: { readonly [name: string]: Value },
  context: EvaluationContext,
  listener: Listener = nobody,
): Query {
  noteText(listener.prices.longestText);
  return new Query(input, globals, context, listener, true);
}

/**
 * The listener of a query without outputs: the program itself, which supplies the prices, with the roles held if they
 * were computed.
 */
export const listenerOf = (program: Listener, heldRoles: HeldRoles | undefined): Listener =>
  heldRoles === undefined ? program : { hear: undefined, judge: undefined, prices: program.prices, heldRoles };
