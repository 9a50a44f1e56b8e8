/** Opens a query: who listens to it, and at the prices of which texts. */
import type { EvaluationContext } from "../cel/declare.ts";
import type { Value } from "../cel/value.ts";
import { noteText } from "../cel/work.ts";
import type { CheckInput } from "./input.ts";
import { type HeldRoles, type Listener, nobody, Query } from "./query.ts";

/** Says how long the texts of a program are, which its conditions compare from here on, and makes a query for it. */
export function openQuery(
  input: CheckInput,
  globals: { readonly [name: string]: Value },
  context: EvaluationContext,
  listener: Listener = nobody,
): Query {
  noteText(listener.prices.longestText);
  return new Query(input, globals, context, listener, true);
}

/** Nobody listens but a program, which knows the principal's roles only where they were looked for. */
export const listenerOf = (program: Listener, heldRoles: HeldRoles | undefined): Listener =>
  heldRoles === undefined ? program : { hear: undefined, judge: undefined, prices: program.prices, heldRoles };
