/** Combines the decisions of all roles of an input, on the fast paths that return only decisions. */
import type { ActionDecision } from "./decision.ts";
import type { Route } from "./route.ts";
import type { RolePath } from "./role-path.ts";

/** An input whose roles are evaluated one after another. */
export interface PathDecider {
  readonly route: Route;
  /** The decision along the policies of one role; undefined if none of them decides. */
  readonly decideAlong: (path: RolePath, action: string) => ActionDecision | undefined;
}

/** Across roles ALLOW beats DENY. If no role is allowed, the decision of the first role that has one is returned. */
export function decideAcross(along: PathDecider, paths: readonly RolePath[], action: string): ActionDecision {
  const { undecided } = along.route;
  let result = undecided;
  for (let at = 0; at < paths.length; at++) {
    const path = paths[at];
    if (path === undefined) break;
    const current = along.decideAlong(path, action) ?? undecided;
    if (current.effect === "EFFECT_ALLOW") return current;
    if (result === undecided) result = current;
  }
  return result;
}
