/** Combines the decisions of all roles of an input, where one role after the other is asked and nothing but decisions is wanted. */
import type { ActionDecision } from "./decision.ts";
import type { Route } from "./route.ts";
import type { Way } from "./way.ts";

/** Who asks about one input. */
export interface AlongWays {
  readonly route: Route;
  /** What is decided along the way of one role; nothing where nobody speaks of it. */
  readonly decideAlong: (way: Way, action: string) => ActionDecision | undefined;
}

/** Across roles ALLOW beats DENY; where no role is allowed, the first that was decided is reported. */
export function decideAcross(along: AlongWays, ways: readonly Way[], action: string): ActionDecision {
  const { undecided } = along.route;
  let result = undecided;
  for (let at = 0; at < ways.length; at++) {
    const way = ways[at];
    if (way === undefined) break;
    const current = along.decideAlong(way, action) ?? undecided;
    if (current.effect === "EFFECT_ALLOW") return current;
    if (result === undecided) result = current;
  }
  return result;
}
