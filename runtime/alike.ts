/** Shares equal parts between units of one shape: most policies of a large set differ from others in nothing but their names. */
import type { BundledScope, BundledUnit } from "./bundle.ts";
import { invariant } from "./cel/error.ts";
import type { Value } from "./cel/value.ts";
import { readConstant } from "./constant.ts";
import { considering } from "./decide/considering.ts";
import type { Terms } from "./decide/loaded-unit.ts";
import type { OpenPatterns } from "./decide/patterns.ts";
import { priceOfAsking } from "./decide/price.ts";
import type { Pricing } from "./decide/pricing.ts";
import type { PricedUnit, ScopePart, Unit } from "./decide/unit.ts";

/** A program with its constants, and what is known of each of its policies. */
export interface Alike {
  readonly program: () => PricedUnit;
  /** In the order of the unit's scopes. */
  readonly terms: readonly Terms[];
}

/** Finds what a unit is but for its names. */
export type FindAlike = (unit: BundledUnit) => Alike;

/** What a unit is opened with. */
export interface OpenedShape {
  readonly factory: () => Factory;
  /** The patterns of a policy of one of its units. Alike ones are shared: what few requests ask for is then seldom far away. */
  readonly patterns: OpenPatterns;
  /** Whether its program may look at the derived roles of the request: `runtime` in a policy. */
  readonly readsDerivedRoles: () => boolean;
  /** Whether its program may tell the caller something: an output. */
  readonly tells: () => boolean;
}

/** Makes the program of a unit, given its constants. */
export type Factory = (k: readonly Value[]) => Unit;

/** Opens what a unit is but for its names; its program is made when it is first asked. */
export function openAlike({ type, constants, scopes }: BundledUnit, shape: OpenedShape, pricing: Pricing): Alike {
  let made: PricedUnit | undefined;
  const program = (): PricedUnit => (made ??= makeProgram(constants, shape, pricing));
  const termsOf = (says: BundledScope, index: number): Terms => {
    let part: ScopePart | undefined;
    const terms: { -readonly [name in keyof Terms]: Terms[name] } = {
      part() {
        if (part !== undefined) return part;
        const { scopes: parts, prices } = program();
        const [scope, found] = parts[index] ?? [];
        // What counts from nowhere would remember all its conditions as one.
        const isWhole = found !== undefined && scope === says.scope && found.first >= 0;
        invariant(isWhole, "a program has one part for each of its scopes");
        terms.price = pricing.ofAsking(terms.price, prices, index);
        return (part = found);
      },
      patterns: shape.patterns(type, says.patterns),
      price: priceOfAsking(says),
      readsDerivedRoles: shape.readsDerivedRoles(),
      tells: shape.tells(),
      considers: considering(says),
    };
    return terms;
  };
  return { program, terms: scopes.map(termsOf) };
}

function makeProgram(constants: BundledUnit["constants"], shape: Pick<OpenedShape, "factory">, pricing: Pricing): PricedUnit {
  const unit = shape.factory()(constants.map(readConstant));
  const prices = pricing.ofProgram(unit, constants);
  return { scopes: unit.scopes, prices, hear: undefined, judge: undefined, heldRoles: undefined };
}

/** How many each shape remembers, and how long the text may be that tells one from another. */
const mostAlike = 16;
const longestTold = 4096;

/** Finds it as it was opened for another unit. */
export function rememberAlike(shape: OpenedShape, pricing: Pricing): FindAlike {
  let first: BundledUnit | undefined;
  const known = new Map<string, Alike>();
  return (unit) => {
    // Of a shape that has one unit nothing is remembered but that.
    if (first === undefined || first === unit) {
      first = unit;
      return openAlike(unit, shape, pricing);
    }
    const told = tell(unit);
    const alike = known.get(told) ?? openAlike(unit, shape, pricing);
    if (told.length > longestTold) return alike;
    if (known.size >= mostAlike && !known.has(told)) known.clear();
    known.set(told, alike);
    return alike;
  };
}

/** Everything that a unit is but for its names: no two that differ are told alike. */
const tell = ({ type, constants, scopes }: BundledUnit): string =>
  JSON.stringify([type, constants, scopes.map(({ scope, patterns, rows }) => [scope, patterns, rows])]);
