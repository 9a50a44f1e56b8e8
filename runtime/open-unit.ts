/** Opens a unit of a bundle: everything that costs something waits until somebody asks. */
import type { BundledScope, BundledUnit } from "./bundle.ts";
import { invariant } from "./cel/error.ts";
import { readConstant } from "./constant.ts";
import { matches } from "./decide/glob.ts";
import type { LoadedUnit, Policy } from "./decide/loaded-unit.ts";
import { matchedOf, shareBits } from "./decide/patterns.ts";
import { type Price, priceOfAsking } from "./decide/price.ts";
import type { Pricing } from "./decide/pricing.ts";
import { remembering } from "./decide/remember.ts";
import { readTrees, type UnitTrees } from "./decide/trees.ts";
import type { Matched, PricedUnit } from "./decide/unit.ts";
import type { Shape } from "./shape.ts";

/** Opens a unit whose program is of a shape. */
export function openUnit(bundled: BundledUnit, shape: Omit<Shape, "text">, pricing: Pricing): LoadedUnit {
  const { id, type, name, writtenName, version, digest, scopes } = bundled;
  let program: PricedUnit | undefined;
  let trees: UnitTrees | undefined;
  let policies: ReadonlyMap<string, () => Policy> | undefined;
  const unit: LoadedUnit = {
    id,
    type,
    name,
    writtenName,
    version,
    digest,
    shape: bundled.shape,
    scopes,
    program: () => (program ??= makeProgram(bundled, shape, pricing)),
    trees: () => (trees ??= readTrees(bundled.trees)),
    policyIn(scope) {
      policies ??= new Map(scopes.map((says, index) => [says.scope, once(() => openPolicy(unit, says, index, shape, pricing))]));
      return policies.get(scope)?.();
    },
  };
  return unit;
}

function makeProgram({ constants }: BundledUnit, shape: Pick<Shape, "factory">, pricing: Pricing): PricedUnit {
  const unit = shape.factory()(constants.map(readConstant));
  return { ...unit, prices: pricing.ofProgram(unit, constants) };
}

/** How many actions each policy remembers the rows of. */
const mostActions = 64;

function openPolicy(unit: LoadedUnit, says: BundledScope, index: number, shape: Omit<Shape, "text" | "factory">, pricing: Pricing): Policy {
  const { rows } = says;
  // Which patterns have a row about an action.
  const about = remembering(mostActions, (action): Matched => {
    const found = rows.filter(({ actions }) => actions.some((match) => matches(match, action)));
    return matchedOf([...new Set(found.flatMap(({ patterns }) => patterns))], says.patterns.length);
  });
  const policy: Omit<Policy, "price"> & { price: Price } = {
    unit,
    index,
    says,
    part: once(() => {
      const { scopes, prices } = unit.program();
      const [scope, part] = scopes[index] ?? [];
      invariant(part !== undefined && scope === says.scope, "a unit's program has one part for each of its scopes, in their order");
      policy.price = pricing.ofAsking(policy.price, prices, index);
      return part;
    }),
    patterns: shape.patterns(unit.type, says.patterns),
    price: priceOfAsking(says),
    readsDerivedRoles: shape.readsDerivedRoles(),
    tells: shape.tells(),
    considers: (action, matched) => shareBits(matched, about(action)),
  };
  return policy;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
