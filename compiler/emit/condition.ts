/**
 * Emits conditions: blocks (all, any, none) of expressions, in which a leaf that fails or is not boolean counts as
 * false (semantics 5.2).
 */
import { unreachable } from "../../runtime/cel/error.ts";
import type { Condition } from "../../runtime/decide/condition.ts";
import { type Code, js } from "./code.ts";
import { expressions } from "./expression.ts";
import { joined } from "./logic.ts";
import { type Scope, atom } from "./scope.ts";
import { shareReads } from "./forms/shared-reads.ts";

/** Code that is true exactly if the condition holds. */
export function conditionHolds(condition: Condition, scope: Scope): Code {
  switch (condition.kind) {
    case "expression":
      return expressions.is(true, condition.expression.tree, scope);
    case "all":
      return joined("&&", partsOf(condition, scope));
    case "any":
      return joined("||", partsOf(condition, scope));
    case "none":
      return js`!${atom(joined("||", partsOf(condition, scope)))}`;
    default:
      return unreachable(condition);
  }
}

const partsOf = (condition: { readonly of: readonly Condition[] }, scope: Scope): readonly Code[] =>
  condition.of.map((part) => conditionHolds(part, scope));

/** Returns the scope in which attributes read repeatedly by the condition are read once. */
export const withSharedReads = (condition: Condition, scope: Scope): Scope =>
  shareReads(
    Array.from(expressionsOf(condition), ({ expression }) => expression.tree),
    scope,
    expressions,
  );

/** Yields the expressions of a condition, in order. */
export function* expressionsOf(condition: Condition | undefined): Iterable<Condition & { readonly kind: "expression" }> {
  if (condition === undefined) return;
  if (condition.kind === "expression") yield condition;
  else for (const part of condition.of) yield* expressionsOf(part);
}
