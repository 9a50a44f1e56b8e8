/** Collects the policies that took part in the decision of one input, for the audit trail (semantics 4.9). */
import type { BundledScope } from "../bundle.ts";
import type { JsonObject } from "../cel/value.ts";
import { byUnits } from "../order.ts";
import type { LoadedUnit, Policy } from "./loaded-unit.ts";
import type { Matched } from "./unit.ts";

/** The policies considered so far. */
export class EffectivePolicies {
  /** The first unit considered, and its considered policies, one bit each. Usually there are no others. */
  private unit: LoadedUnit | undefined = undefined;
  private bits = 0;
  private others: Map<Policy, readonly BundledScope[]> | undefined = undefined;

  /** Adds a policy and its ancestors if one of its rows applies to the action and one of the matching patterns. */
  consider(policy: Policy, action: string, matched: Matched): void {
    if (!this.has(policy) && policy.content.applies(action, matched)) this.addWithAncestors(policy);
  }

  private has(policy: Policy): boolean {
    const { unit, index } = policy;
    return this.hasBit(policy) ? this.unit === unit && (this.bits & (1 << index)) !== 0 : this.others?.has(policy) === true;
  }

  private hasBit({ unit, index }: Policy): boolean {
    return index < maxBits && (this.unit === undefined || this.unit === unit);
  }

  /** Adds a policy and its ancestors. */
  addWithAncestors(policy: Policy): void {
    const { unit, index } = policy;
    if (this.hasBit(policy)) {
      this.unit = unit;
      this.bits |= 1 << index;
    } else (this.others ??= new Map()).set(policy, withAncestors(unit, policy.bundled));
  }

  /** Adds a policy without ancestors; for role policies. */
  add(policy: Policy): void {
    (this.others ??= new Map()).set(policy, [policy.bundled]);
  }

  /** Returns policy key -> source attributes, ordered by key. */
  all(): ReadonlyMap<string, JsonObject> {
    const ofUnit = this.unit === undefined ? none : policiesOf(this.unit, this.bits);
    if (this.others === undefined) return ofUnit;
    return inOrder([...ofUnit, ...[...this.others.values()].flat().map(entryOf)]);
  }
}

const none: ReadonlyMap<string, JsonObject> = new Map();

type Entry = readonly [key: string, sourceAttributes: JsonObject];

const entryOf = ({ key, sourceAttributes }: BundledScope): Entry => [key, sourceAttributes];

const inOrder = (entries: readonly Entry[]): ReadonlyMap<string, JsonObject> =>
  new Map(entries.toSorted(([left], [right]) => byUnits(left, right)));

/** The policies of a unit that fit into a bit set. */
const maxBits = 30;
/** Most policy sets cached for a unit. */
const maxSets = 32;

const remembered = new WeakMap<LoadedUnit, Map<number, ReadonlyMap<string, JsonObject>>>();

/** Returns some policies of a unit with their ancestors. Cached, because the same sets recur in many requests. */
function policiesOf(unit: LoadedUnit, bits: number): ReadonlyMap<string, JsonObject> {
  const sets = remembered.get(unit) ?? new Map<number, ReadonlyMap<string, JsonObject>>();
  const known = sets.get(bits);
  if (known !== undefined) return known;
  const all = inOrder(
    unit.scopes
      .flatMap((bundled, index) => (index >= maxBits || (bits & (1 << index)) === 0 ? [] : withAncestors(unit, bundled)))
      .map(entryOf),
  );
  if (sets.size >= maxSets) sets.clear();
  remembered.set(unit, sets.set(bits, all));
  return all;
}

const withAncestors = ({ scopes }: LoadedUnit, { scope }: BundledScope): readonly BundledScope[] =>
  scopes.filter((other) => isAncestor(other.scope, scope));

/** Here a scope counts as its own ancestor. */
const isAncestor = (scope: string, of: string): boolean => scope === "" || scope === of || of.startsWith(`${scope}.`);
