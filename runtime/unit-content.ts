/** Shares program and policy data between units of one shape: in a large set, most policies differ only in their names. */
import type { BundledScope, BundledUnit } from "./bundle.ts";
import { invariant } from "./cel/error.ts";
import type { Value } from "./cel/value.ts";
import { readConstant } from "./constant.ts";
import { rowsApply } from "./decide/rows-apply.ts";
import type { PolicyContent } from "./decide/loaded-unit.ts";
import type { OpenPatterns } from "./decide/patterns.ts";
import { priceOfPolicy } from "./decide/price.ts";
import type { Pricing } from "./decide/pricing.ts";
import type { PricedUnit, ScopePart, Unit } from "./decide/unit.ts";

/** A program with its constants, and the data of each of its policies. */
export interface UnitContent {
  readonly program: () => PricedUnit;
  /** In the order of the unit's scopes. */
  readonly policies: readonly PolicyContent[];
}

/** Returns everything about a unit except its names. */
export type FindContent = (unit: BundledUnit) => UnitContent;

/** A shape, as units use it. */
export interface OpenedShape {
  readonly factory: () => Factory;
  /**
   * Compiles the patterns of a policy. Equal lists are shared, so that data read by many requests is close together
   * in memory.
   */
  readonly patterns: OpenPatterns;
  /** Whether its program may read the derived roles of the request (`runtime` in a policy). */
  readonly readsDerivedRoles: () => boolean;
  /** Whether its program may produce outputs. */
  readonly hasOutputs: () => boolean;
}

/** Builds the program of a unit from its constants. */
export type Factory = (k: readonly Value[]) => Unit;

/** Builds everything about a unit except its names; the program is created on first use. */
export function openContent({ type, constants, scopes }: BundledUnit, shape: OpenedShape, pricing: Pricing): UnitContent {
  let made: PricedUnit | undefined;
  const program = (): PricedUnit => (made ??= makeProgram(constants, shape, pricing));
  const openPolicyContent = (bundled: BundledScope, index: number): PolicyContent => {
    let part: ScopePart | undefined;
    const policy: { -readonly [name in keyof PolicyContent]: PolicyContent[name] } = {
      part() {
        if (part !== undefined) return part;
        const { scopes: parts, prices } = program();
        const [scope, found] = parts[index] ?? [];
        // A negative or missing `first` would map all conditions to the same index.
        const isWhole = found !== undefined && scope === bundled.scope && found.first >= 0;
        invariant(isWhole, "a program has one part for each of its scopes");
        policy.price = pricing.ofPolicy(policy.price, prices, index);
        return (part = found);
      },
      patterns: shape.patterns(type, bundled.patterns),
      price: priceOfPolicy(bundled),
      readsDerivedRoles: shape.readsDerivedRoles(),
      hasOutputs: shape.hasOutputs(),
      applies: rowsApply(bundled),
    };
    return policy;
  };
  return { program, policies: scopes.map(openPolicyContent) };
}

function makeProgram(constants: BundledUnit["constants"], shape: Pick<OpenedShape, "factory">, pricing: Pricing): PricedUnit {
  const unit = shape.factory()(constants.map(readConstant));
  const prices = pricing.ofProgram(unit, constants);
  return { scopes: unit.scopes, prices, onOutput: undefined, holdsStrictly: undefined, heldRoles: undefined };
}

/** Bounds of the cache: entries for each shape, and UTF-16 units of a key. */
const maxContents = 16;
const longestKey = 4096;

/** The same with a cache, so that units with equal contents share the result. */
export function memoizeContent(shape: OpenedShape, pricing: Pricing): FindContent {
  let first: BundledUnit | undefined;
  const known = new Map<string, UnitContent>();
  return (unit) => {
    // A shape with a single unit needs no cache.
    if (first === undefined || first === unit) {
      first = unit;
      return openContent(unit, shape, pricing);
    }
    const key = keyOf(unit);
    const content = known.get(key) ?? openContent(unit, shape, pricing);
    if (key.length > longestKey) return content;
    if (known.size >= maxContents && !known.has(key)) known.clear();
    known.set(key, content);
    return content;
  };
}

/** Everything about a unit except its names, as a string; unambiguous, because it is JSON. */
const keyOf = ({ type, constants, scopes }: BundledUnit): string =>
  JSON.stringify([type, constants, scopes.map(({ scope, patterns, rows }) => [scope, patterns, rows])]);
