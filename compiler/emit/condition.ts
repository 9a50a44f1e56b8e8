/** Emits conditions: blocks of expressions (all, any, none) in which a leaf that fails, or is no boolean, counts as false (semantics 5.2). */
import { unreachable } from "../../runtime/cel/error.ts";
import type { Condition } from "../../runtime/decide/condition.ts";
import { type Code, js } from "./code.ts";
import { expressions } from "./expression.ts";
import { joined } from "./logic.ts";
import { type Scope, atom } from "./scope.ts";
import { shareReads } from "./forms/shared-reads.ts";

/** Code that is true exactly when the condition holds. */
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

/** The scope in which attributes that the condition reads again and again are read once. */
export const withSharedReads = (condition: Condition, scope: Scope): Scope =>
  shareReads(
    Array.from(expressionsOf(condition), ({ expression }) => expression.tree),
    scope,
    expressions,
  );

/** The expressions of a condition, in order. */
export function* expressionsOf(condition: Condition | undefined): Iterable<Condition & { readonly kind: "expression" }> {
  if (condition === undefined) return;
  if (condition.kind === "expression") yield condition;
  else for (const part of condition.of) yield* expressionsOf(part);
}
