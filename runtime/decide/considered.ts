/** The policies that had a say in the decision of one input, for the audit trail (semantics 4.9). */
import type { BundledScope } from "../bundle.ts";
import type { JsonObject } from "../cel/value.ts";
import { byUnits } from "../order.ts";
import type { Policy } from "./loaded-unit.ts";
import type { Matched } from "./unit.ts";

/** Collects policies. */
export class Considered {
  private readonly found = new Map<Policy, readonly BundledScope[]>();

  /** Adds a policy, and its ancestors, if one of its rows is about an action and one of these patterns. */
  byRows(policy: Policy, action: string, matched: Matched): void {
    if (this.found.has(policy) || !policy.considers(action, matched)) return;
    const { scopes } = policy.unit;
    this.found.set(policy, scopes.length === 1 ? scopes : scopes.filter(({ scope }) => isAncestor(scope, policy.says.scope)));
  }

  /** Adds a policy alone, as role policies are. */
  add(policy: Policy): void {
    this.found.set(policy, [policy.says]);
  }

  /** Key -> source attributes, in the order of the keys. */
  all(): ReadonlyMap<string, JsonObject> {
    const [first, ...others] = this.found.values();
    const [only, another] = first ?? [];
    // As a rule one policy had a say.
    if (others.length === 0 && another === undefined) return new Map(only && [[only.key, only.sourceAttributes]]);
    const policies = [first ?? [], ...others].flat();
    return new Map(
      policies.toSorted((left, right) => byUnits(left.key, right.key)).map(({ key, sourceAttributes }) => [key, sourceAttributes]),
    );
  }
}

/** A scope is its own ancestor here. */
const isAncestor = (scope: string, of: string): boolean => scope === "" || scope === of || of.startsWith(`${scope}.`);
