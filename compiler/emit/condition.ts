/**
 * Emits conditions: blocks (all, any, none) of expressions, in which a leaf that fails or is not boolean counts as
 * false (semantics 5.2).
 */
import { unreachable } from "../../runtime/cel/error.ts";
import type { Condition } from "../../runtime/decide/condition.ts";
import { type Code, js } from "./code.ts";
import { expressions } from "./expression.ts";
import { joined } from "./logic.ts";
import { type EmitContext, atom } from "./context.ts";
import { shareReads } from "./forms/shared-reads.ts";

/** Code that is true exactly if the condition holds. */
export function conditionHolds(condition: Condition, context: EmitContext): Code {
  switch (condition.kind) {
    case "expression":
      return expressions.is(true, condition.expression.tree, context);
    case "all":
      return joined("&&", partsOf(condition, context));
    case "any":
      return joined("||", partsOf(condition, context));
    case "none":
      return js`!${atom(joined("||", partsOf(condition, context)))}`;
    default:
      return unreachable(condition);
  }
}

const partsOf = (condition: { readonly of: readonly Condition[] }, context: EmitContext): readonly Code[] =>
  condition.of.map((part) => conditionHolds(part, context));

/** Returns the context in which attributes read repeatedly by the condition are read once. */
export const withSharedReads = (condition: Condition, context: EmitContext): EmitContext =>
  shareReads(
    Array.from(expressionsOf(condition), ({ expression }) => expression.tree),
    context,
    expressions,
  );

/** Yields the expressions of a condition, in order. */
export function* expressionsOf(condition: Condition | undefined): Iterable<Condition & { readonly kind: "expression" }> {
  if (condition === undefined) return;
  if (condition.kind === "expression") yield condition;
  else for (const part of condition.of) yield* expressionsOf(part);
}
